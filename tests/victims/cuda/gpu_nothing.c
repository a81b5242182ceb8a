// Stands before the real cuBLASLt and cuDNN in the order of the search, for calls that would need a GPU.
#define NOTHING(name) \
  int name(void);     \
  int name(void) { return 0; }
NOTHING(cublasLtMatmul)
NOTHING(cublasLtMatrixTransform)
NOTHING(cudnnConvolutionForward)
NOTHING(cudnnConvolutionBackwardData)
NOTHING(cudnnConvolutionBackwardFilter)
NOTHING(cudnnRNNForward)
NOTHING(cudnnMultiHeadAttnForward)
NOTHING(cudnnBackendExecute)
