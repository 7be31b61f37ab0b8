# %% [markdown]
# Sounds that overlap, taken apart: rows of components_ are spectra, columns of W tell when they sound. Loud and quiet
# parts count alike in the Itakura-Saito divergence, which looks at ratios. Usage: spectrogram.py [SOUND.wav PARTS]
# Without a file, a melody of three notes is made up. Every part is written to part1.wav, part2.wav, ...

# %%
import sys

import numpy as np
from scipy.io import wavfile
from scipy.signal import istft, stft

import anmf


def melody(rate=8000):
    """Three notes with overtones, one after the other and then two at a time, and some noise."""
    time = np.arange(rate) / rate
    notes = [
        np.exp(-3 * time) * sum(np.sin(2 * np.pi * k * pitch * time) / k for k in (1, 2, 3))
        for pitch in (262, 330, 440)
    ]
    bars = [notes[0], notes[1], notes[2], notes[0] + notes[1], notes[1] + notes[2]]
    return rate, np.concatenate(bars) + 0.02 * np.random.default_rng(0).standard_normal(5 * rate)


# %%
match sys.argv[1:]:
    case []:
        (rate, sound), parts = melody(), 3
    case [file, number]:
        (rate, sound), parts = wavfile.read(file), int(number)
    case _:
        sys.exit("Usage: spectrogram.py [SOUND.wav PARTS]")
sound = sound.astype(float)
if sound.ndim == 2:  # several channels
    sound = sound.mean(axis=1)

# %% Power by time and frequency. Silence is zero, where ratios have no meaning: a floor 100 dB below the loudest
frequencies, _, spectrum = stft(sound, rate, nperseg=1024)
power = np.abs(spectrum.T) ** 2
X = power + 1e-10 * power.max()

# %% Start from the moments that are most unlike each other; the ear does not hear what more iterations change
model = anmf.NMF(parts, beta_loss="itakura-saito", init="spa", max_iter=200, tol=0)
W = model.fit_transform(X)
print(f"divergence {model.reconstruction_err_**2 / 2:.0f}")
model_power = W @ model.components_

# %% Every moment and frequency goes to the parts by their shares of the model
for part, component in enumerate(model.components_):
    share = np.outer(W[:, part], component) / model_power
    _, alone = istft(spectrum * share.T, rate, nperseg=1024)
    print(f"part {part + 1}: loudest at {frequencies[component.argmax()]:.0f} Hz")
    loudest = max(np.abs(alone).max(), 1e-30)
    wavfile.write(f"part{part + 1}.wav", rate, (32767 * alone / loudest).astype(np.int16))
