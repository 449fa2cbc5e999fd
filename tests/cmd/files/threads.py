import torch

torch.set_num_threads(1)
print(torch.get_num_threads())
torch.manual_seed(123)
x = torch.randn(300, 300)
one = torch.softmax(x @ x.T, dim=-1) @ x
torch.set_num_threads(2)
print(torch.equal(one, torch.softmax(x @ x.T, dim=-1) @ x))
for wrong in [0, 1.5]:
    try:
        torch.set_num_threads(wrong)
    except RuntimeError as error:
        print(error)
