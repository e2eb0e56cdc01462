"""Print the XLA flags with which tests compile by day: the options of programs that run once.

An unknown flag ends the process, so that those that a jaxlib does not have are left out. They are the options
`ONCE` of engine/live_path/compiling.py, which cannot be imported for that: XLA reads its flags as it starts.
"""

from importlib.metadata import version

FUSION = ("--xla_cpu_use_fusion_emitters=false",)  # up to jaxlib 0.11.0
FLAGS = ("--xla_cpu_parallel_codegen_split_count=1", "--xla_backend_optimization_level=0")


def flags(jaxlib: str) -> tuple[str, ...]:
    """Return the flags for a version of jaxlib."""
    return (*(FUSION if tuple(map(int, jaxlib.split(".")[:3])) < (0, 11, 1) else ()), *FLAGS)


if __name__ == "__main__":
    print(*flags(version("jaxlib")))
