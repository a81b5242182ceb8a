"""Writes on after each prompt with a GPT-2 of random weights, one prompt after the other."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel


def answers(model, prompts, length):
    written = []
    for prompt in prompts:
        written.append(model.generate(prompt[None], max_new_tokens=length, do_sample=False, pad_token_id=0))  # FAULT launch-bound
    return torch.cat(written)


def main():
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_layer=8)).cuda().eval()
    prompts = torch.randint(1000, (8, 16), device="cuda")
    print("tokens %d" % answers(model, prompts, 64).numel())


main()
