"""Decision Transformer (Chen et al., 2021) on a walk along a line.

Episodes have 8 steps; the state is the place on a line 0..8, action 1 goes right and 0 goes
left, and the reward of a step is 1 if the walker went right. The model is trained on random
walks and then asked for a given return.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

STEPS, PLACES, ACTIONS = 8, 17, 2


def collect(n, gen):
    """random behaviour, each episode with its own leaning"""
    lean = torch.rand(n, 1, generator=gen)
    actions = (torch.rand(n, STEPS, generator=gen) < lean).long()
    moves = 2 * actions - 1
    place = torch.cat([torch.zeros(n, 1, dtype=torch.long), moves.cumsum(1)[:, :-1]], dim=1)
    rewards = actions.float()
    # return to go: what is still to come, the present step included
    rtg = rewards.flip(1).cumsum(1).flip(1)
    return rtg, place + STEPS, actions


class DecisionTransformer(nn.Module):
    def __init__(self, dim=32, heads=4, layers=2, dropout=0.1):
        super().__init__()
        self.embed_rtg = nn.Linear(1, dim)
        self.embed_state = nn.Embedding(PLACES, dim)
        self.embed_action = nn.Embedding(ACTIONS, dim)
        self.embed_time = nn.Embedding(STEPS, dim)
        self.embed_ln = nn.LayerNorm(dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(dim), enable_nested_tensor=False)
        self.predict_action = nn.Linear(dim, ACTIONS)

    def forward(self, rtg, states, actions):
        """rtg, states, actions: (b, t). The action of step t is predicted from the state token
        of step t, so actions[:, -1] is never read by the prediction for the last step."""
        b, t = states.shape
        time = self.embed_time(torch.arange(t, device=states.device))
        r = self.embed_rtg(rtg.unsqueeze(-1) / STEPS) + time
        s = self.embed_state(states) + time
        a = self.embed_action(actions) + time
        x = torch.stack([r, s, a], dim=2).reshape(b, 3 * t, -1)       # r0 s0 a0 r1 s1 a1 ...
        x = self.embed_ln(x)
        causal = nn.Transformer.generate_square_subsequent_mask(3 * t, device=x.device)
        x = self.body(x, mask=causal)
        return self.predict_action(x.view(b, t, 3, -1)[:, :, 1])


@torch.no_grad()
def rollout(model, target, n, gen):
    """walk n episodes, asking for `target` in total; returns what was reached"""
    model.eval()
    rtg = torch.full((n, 1), float(target))
    states = torch.full((n, 1), STEPS)
    actions = torch.zeros(n, 1, dtype=torch.long)                     # the last entry is a placeholder
    reached = torch.zeros(n)
    for t in range(STEPS):
        logits = model(rtg, states, actions)[:, -1]
        act = torch.multinomial(logits.softmax(-1), 1, generator=gen)
        actions[:, t:] = act
        reward = act.squeeze(1).float()
        reached += reward
        if t + 1 < STEPS:
            rtg = torch.cat([rtg, rtg[:, -1:] - reward[:, None]], dim=1)
            states = torch.cat([states, states[:, -1:] + 2 * act - 1], dim=1)
            actions = torch.cat([actions, torch.zeros_like(act)], dim=1)
    return reached


def main():
    torch.manual_seed(2)
    gen = torch.Generator().manual_seed(3)
    model = DecisionTransformer()

    # the prediction for step t depends on neither action t nor anything later
    model.eval()
    rtg, states, actions = collect(4, gen)
    with torch.no_grad():
        before = model(rtg, states, actions)
        flipped = actions.clone()
        flipped[:, 5:] = 1 - flipped[:, 5:]
        after = model(rtg, states, flipped)
    assert torch.allclose(before[:, :6], after[:, :6], atol=1e-5)
    assert not torch.allclose(before[:, 6:], after[:, 6:], atol=1e-5)

    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda i: min(1.0, (i + 1) / 10))
    model.train()
    for step in range(1, 51):
        rtg, states, actions = collect(64, gen)
        logits = model(rtg, states, actions)
        loss = F.cross_entropy(logits.flatten(0, 1), actions.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        warm.step()
        if step % 10 == 0:
            print(f"round {step}: loss {loss.item():.3f}")

    means = []
    for target in (0, 2, 4, 6, 8):
        got = rollout(model, target, 64, torch.Generator().manual_seed(target))
        means.append(got.mean().item())
        print(f"asked for {target}: reached {means[-1]:.2f} on average")
    assert means == sorted(means)


if __name__ == "__main__":
    main()
