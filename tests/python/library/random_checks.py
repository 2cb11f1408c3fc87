"""Random files, decompositions, puts and gets, beside a model in NumPy. RANDOM_CASES: how many; RANDOM_SEED:
of the first."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

import collio

CASES = int(os.environ.get("RANDOM_CASES", 100))
FIRST = int(os.environ.get("RANDOM_SEED", 1))
DTYPES = ("u1", "i2", ">i4", "f4", "f8", "c16", "S3")


@dataclass
class Model:
    """A variable, with the elements of each rank as a map."""

    name: str
    dtype: np.dtype
    shape: tuple
    offset: int
    stride: int
    records: int
    maps: list
    boxes: list
    handle: Any = None

    @property
    def bytes(self):
        return int(np.prod(self.shape)) * self.dtype.itemsize

    def places(self, elements, record):
        return self.offset + record * self.stride + elements * self.dtype.itemsize


def check_against_a_model(comm, folder):
    for seed in range(FIRST, FIRST + CASES):
        try:
            run_case(comm, folder / str(seed), seed)
        except Exception as error:
            raise AssertionError(f"RANDOM_SEED={seed} RANDOM_CASES=1") from error


def run_case(comm, path, seed):
    rng = np.random.default_rng([seed, comm.size])  # all ranks draw the same numbers
    models = random_models(comm, rng)
    content = bytearray(max(model.places(0, model.records - 1) + model.bytes for model in models))
    hints = {"cb_nodes": int(rng.integers(1, 4)), "cb_buffer_size": int(rng.choice([4096, 1 << 20]))}
    with collio.open(comm, path, "w", hints=hints) as file:
        for model in models:
            box = model.boxes[comm.rank]
            cells = collio.box(model.shape, *box) if box else collio.map(model.shape, model.maps[comm.rank])
            model.handle = file.variable(model.name, model.dtype, cells, model.offset, model.stride)
        end = 0
        for _ in range(rng.integers(1, 5)):
            end = max(end, put_some(comm, rng, models, content))
            file.commit(wait=bool(rng.random() < 0.4))
        for _ in range(2):
            fetch_some(comm, rng, file, models, bytes(content[:end]))
    comm.Barrier()
    if comm.rank == 0:
        assert path.read_bytes() == bytes(content[:end])
        path.unlink()


def random_models(comm, rng):
    models, offset = [], int(rng.integers(0, 30))
    for number in range(rng.integers(1, 4)):
        shape = tuple(int(length) for length in rng.integers(1, 8, rng.integers(1, 5)))
        dtype, elements = np.dtype(rng.choice(DTYPES)), int(np.prod(shape))
        maps, boxes = random_maps(comm, rng, elements), [None] * comm.size
        if rng.random() < 0.5:
            maps, boxes = random_boxes(comm, rng, shape)
        models.append(Model(str(number), dtype, shape, offset, 0, 1, maps, boxes))
        offset += models[-1].bytes + int(rng.integers(0, 9))
    if rng.random() < 0.6:
        for model in models:
            model.stride, model.records = offset - models[0].offset, int(rng.integers(1, 5))
    return models


def random_maps(comm, rng, elements):
    """Elements of each rank in any order; some have no owner, some of a rank are not in the array."""
    owner = rng.integers(-1, comm.size, elements)
    maps = []
    for rank in range(comm.size):
        mine = np.flatnonzero(owner == rank)
        if rng.random() < 0.5:
            rng.shuffle(mine)
        maps.append(np.insert(mine, rng.integers(0, len(mine) + 1, rng.integers(0, 4)), -1))
    return maps


def random_boxes(comm, rng, shape):
    """The array cut along one dimension; ranks may have nothing."""
    axis = int(rng.integers(0, len(shape)))
    cuts = np.sort(rng.integers(0, shape[axis] + 1, comm.size + 1))
    numbers = np.arange(np.prod(shape)).reshape(shape)
    maps, boxes = [], []
    for low, high in zip(cuts, cuts[1:]):
        start, count = [0] * len(shape), list(shape)
        start[axis], count[axis] = low, high - low
        boxes.append((start, count))
        maps.append(np.take(numbers, np.arange(low, high), axis).reshape(-1))
    return maps, boxes


def put_some(comm, rng, models, content):
    """Puts of all ranks into the model, and this rank's into the file. Returns where the last byte is."""
    end = 0
    for model in models:
        for record in range(model.records):
            for rank, elements in enumerate(model.maps):
                if rng.random() < 0.3:
                    continue
                data = random_data(rng, model.dtype, len(elements))
                view = in_random_place(rng, data)
                if rank == comm.rank:
                    model.handle.put(view, record)
                for i, element in enumerate(elements):
                    if element >= 0:
                        at = model.places(int(element), record)
                        content[at : at + model.dtype.itemsize] = data[i : i + 1].tobytes()
                        end = max(end, at + model.dtype.itemsize)
    return end


def fetch_some(comm, rng, file, models, content):
    asked = []
    for model in models:
        record = int(rng.integers(0, model.records))
        count = int(np.prod(model.shape))
        for rank in range(comm.size):
            elements = rng.integers(-1, count, rng.integers(0, 2 * count))
            before = random_data(rng, model.dtype, len(elements))
            view = in_random_place(rng, before)
            if rank != comm.rank:
                continue
            wanted = before.copy()
            for i, element in enumerate(elements):
                at = model.places(int(element), record)
                if element >= 0 and at + model.dtype.itemsize <= len(content):
                    wanted[i : i + 1] = np.frombuffer(content, model.dtype, 1, at)
            file.variable(
                f"{model.name} {len(file.variables)}",
                model.dtype,
                collio.map(model.shape, elements),
                model.offset,
                model.stride,
            ).get(view, record)
            asked.append((view, wanted))
    file.fetch()
    for view, wanted in asked:
        assert view.tobytes() == wanted.tobytes(), (view.reshape(-1), wanted)


def random_data(rng, dtype, count):
    return rng.integers(0, 100, count).astype(dtype)


def in_random_place(rng, data):
    """The elements in memory with gaps, in any order of dimensions and directions; data.reshape(-1) of it is
    `data`."""
    shape = [len(data)]
    for factor in (2, 3):
        if shape[-1] % factor == 0 and shape[-1] and rng.random() < 0.6:
            shape[-1:] = [factor, shape[-1] // factor]
    order = rng.permutation(len(shape))
    steps = [int(step) for step in rng.choice([1, 2, 3, -1, -2], len(shape))]
    base = np.zeros([shape[axis] * abs(steps[axis]) for axis in order], data.dtype)
    view = base.transpose(np.argsort(order))[tuple(slice(None, None, step) for step in steps)]
    view[...] = data.reshape(shape)
    return view
