// cuDNN: functions that version 9 no longer has. Recurrent networks with one descriptor for each step.
#include "interpose/cuda/cudnn.hpp"

PROF_CUDNN_NAMED(cudnnRNNForwardInference, Library, 19, 0)
PROF_CUDNN_NAMED(cudnnRNNForwardTraining, Library, 21, 0)
PROF_CUDNN_NAMED(cudnnRNNBackwardData, Library, 27, 0)
PROF_CUDNN_NAMED(cudnnRNNBackwardWeights, Library, 15, 0)
