"""
A policy from few rewards
=========================

A pole stands on a cart; push left or right so that it does not fall. Running episodes
is cheap here, as it often is; looking at a reward is what costs: somebody must judge,
or a sample must go to the laboratory. :mod:`agnoboost.rl` learns a policy for two
actions from episodes in which *one* reward is looked at, and many in which none is
(Algorithm 4 of the paper).

What happens in a run, and how to choose its settings: :doc:`/rl`.
"""

# %%
# Three runs on CartPole
# ----------------------
#
# Each starts from a fair coin and takes six steps. In every step 1,500 episodes have
# one reward looked at, and 2,000 none; weak policies are linear. At the end rollouts
# judge all policies of the run, and the best is taken. Every policy is then run for 30
# new episodes of up to 500 pushes.

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from agnoboost import LinearLearner
from agnoboost.rl import GymSimulator, PolicyBooster, evaluate_policy

booster = PolicyBooster(
    LinearLearner(ridge=0.3, offset=False),
    outer_rounds=6,
    annotated=1500,
    reward_free=2000,
    inner_rounds=10,
    step=0.002,
    outer_step=0.2,
    held_out=0.0,
    baseline=make_pipeline(StandardScaler(), PolynomialFeatures(2), Ridge(1.0)),
    rollouts=100,
    judge_likelier=True,
)
runs = [
    booster.run(
        GymSimulator("CartPole-v1", beta=0.93),
        rng=seed,
        judge=GymSimulator("CartPole-v1", beta=0.99),
    )
    for seed in range(3)
]
returns = [
    [
        evaluate_policy(policy, "CartPole-v1", episodes=30, seed=100).mean
        for policy in run.policies
    ]
    for run in runs
]
for run, own in zip(runs, returns, strict=True):
    print(run)
    print(
        "  pushes until it falls:",
        *(f"{value:.0f}" for value in own),
        f"; chosen: {own[run.chosen]:.0f}",
    )

# %%
# What the policies do
# --------------------
#
# The cart stands still in the middle; across is the angle of the pole (in degrees),
# upwards how fast it turns. Red: push to the right, blue: to the left, pale: undecided.
# The coin knows nothing, and always pushes to the right where it has to say the
# likelier action. After one step the policy looks mostly at how fast the pole turns;
# then at its angle, too, and the pole stays up. Black: what happens in one episode.

import gymnasium
import matplotlib.pyplot as plt

run = runs[0]
angle, turning = np.radians(np.linspace(-12, 12, 90)), np.linspace(-2, 2, 90)
states = np.zeros((90, 90, 4))
states[..., 2], states[..., 3] = np.meshgrid(angle, turning)


def episode(policy):
    """What is seen until the pole falls, or 500 pushes are over."""
    with gymnasium.make("CartPole-v1") as env:
        seen, _ = env.reset(seed=7)
        path, over = [seen], False
        while not over:
            seen, _, fallen, cut, _ = env.step(int(policy.act(seen) > 0))
            path.append(seen)
            over = fallen or cut
    return np.array(path)


shown = sorted({0, 1, 2, run.chosen})
figure, panels = plt.subplots(
    1, len(shown), figsize=(9, 2.8), sharey=True, layout="constrained"
)
for panel, number in zip(panels, shown, strict=True):
    chance = run.policies[number].chance(states.reshape(-1, 4)).reshape(90, 90)
    panel.imshow(
        chance,
        extent=(-12, 12, -2, 2),
        origin="lower",
        aspect="auto",
        cmap="RdBu_r",
        vmin=0,
        vmax=1,
    )
    path = episode(run.policies[number])
    panel.plot(np.degrees(path[:, 2]), path[:, 3], color="black", linewidth=0.7)
    name = "the coin" if number == 0 else f"after {number} step{'s' * (number > 1)}"
    panel.set_title(
        f"{name}{', chosen' * (number == run.chosen)}\n{returns[0][number]:.0f} pushes",
        fontsize=9,
    )
    panel.set(xlim=(-12, 12), ylim=(-2, 2), xlabel="angle")
    panel.grid(visible=False)
panels[0].set_ylabel("turning")
plt.show()

# %%
# What it costs, and why policies are judged at the end
# -----------------------------------------------------
#
# In two of the three runs the pole stays up for all 500 pushes after one or two steps,
# and no more than some 1,600 looks at a reward. Look at what comes after: further steps
# can make a policy worse again. Without the rollouts at the end (stars are what they
# chose) one would take the last policy, which is bad in each of these runs. The third
# run never gets there: one reward an episode is a noisy teacher, and luck has its part.
# Who can afford it runs twice, and keeps what rollouts prefer.

figure, panel = plt.subplots(figsize=(9, 3.4), layout="constrained")
for seed, (run, own) in enumerate(zip(runs, returns, strict=True)):
    queries = [spent.reward_queries for spent in run.spent]
    panel.plot(queries, own, "o-", label=f"run {seed + 1}")
    panel.plot(
        queries[run.chosen],
        own[run.chosen],
        "*",
        color=f"C{seed}",
        markersize=17,
        markeredgecolor="black",
    )
panel.set(
    xlabel="rewards looked at, before the rollouts",
    ylabel="pushes until it falls, mean of 30",
    ylim=(0, 530),
)
panel.legend(loc="lower right")
plt.show()
