# %% interpolation
torch.manual_seed(0)
x = torch.randn(1, 2, 3, 4)
for kw in (dict(scale_factor=2), dict(size=(5, 7)), dict(scale_factor=1.5, mode='bilinear'), dict(size=(6, 5), mode='bilinear', align_corners=True), dict(scale_factor=(2., 0.5), mode='bilinear', align_corners=False), dict(size=(1, 1), mode='bilinear', align_corners=True)):
    print(kw, F.interpolate(x, **kw))
print(F.interpolate(x[0], scale_factor=3, mode='linear'), F.interpolate(x[0], size=3))
x.requires_grad_()
y = F.interpolate(x, scale_factor=2, mode='bilinear')
print(y.grad_fn.__class__.__name__, F.interpolate(x, scale_factor=2).grad_fn.__class__.__name__)
y.pow(2).sum().backward()
print(x.grad)

# %% interpolation-errors
x = torch.arange(64.).view(1, 4, 4, 4)
for kw in (dict(), dict(size=3, scale_factor=2), dict(size=2, align_corners=True)):
    try:
        F.interpolate(x, **kw)
    except ValueError as error:
        print(error)

# %% upsampling-modules
x = torch.arange(64.).view(1, 4, 4, 4)
print(nn.DataParallel(nn.Linear(1, 1)))
torch.manual_seed(0)
d = nn.DataParallel(nn.Linear(2, 1))
print(list(d.state_dict()), d.module.weight.shape, d(torch.ones(1, 2)))

# %% divergences
D = torch.distributions
print(D.kl_divergence(D.Normal(0., 1.), D.Normal(1., 2.)))
print(D.kl_divergence(D.Categorical(torch.tensor([[.5, .5], [1., 0.]])), D.Categorical(torch.tensor([.9, .1]))), D.kl_divergence(D.Categorical(torch.tensor([.5, .5])), D.Categorical(torch.tensor([1., 0.]))))
