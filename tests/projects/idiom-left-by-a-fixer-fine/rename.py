"""Uses no GPU although its words speak of one: cuda, CUDA_VISIBLE_DEVICES."""
from pathlib import Path

if __name__ == "__main__":
    for report in Path("reports").glob("cuda*.txt"):
        report.rename(report.with_suffix(".log"))
