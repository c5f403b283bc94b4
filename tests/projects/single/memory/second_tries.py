"""Second tries after memory was short."""

import gc

import torch

SHORT = (torch.cuda.OutOfMemoryError, MemoryError)


def halves(model, batch):
    try:
        return model(batch)
    except SHORT:
        gc.collect()
        torch.cuda.empty_cache()
        first, second = batch.chunk(2)
        return torch.cat([model(first), model(second)])  # ~ retry-inside-oom-handler warning


class Engine:
    def transcribe(self, audio, size=16):
        try:
            return self.model.transcribe(audio, batch_size=size)
        except RuntimeError as error:
            if "CUDA out of memory" in str(error):
                torch.cuda.empty_cache()
                return self.transcribe(audio, size // 2)  # ~ retry-inside-oom-handler warning
            raise

    def nested(self, audio):
        try:
            result = self.model.generate(audio)
        except Exception as error:
            if "out of memory" not in str(error).lower():
                raise
            try:
                result = self.model.generate(audio[:100])  # ~ retry-inside-oom-handler warning
            except RuntimeError:
                result = None
        return result

    def behind_it(self, audio):
        failed = None
        try:
            return self.model.generate(audio)
        except torch.OutOfMemoryError:
            failed = True
        if failed:
            torch.cuda.empty_cache()
            return self.model.generate(audio[:100])

    def in_a_loop(self, audio):
        size = 16
        while size:
            try:
                return self.model.generate(audio, size)
            except torch.OutOfMemoryError as error:
                size //= 2
                print("again with", size, error)
                torch.cuda.empty_cache()
                continue

    def on_the_cpu(self, audio):
        try:
            return self.model.generate(audio)
        except torch.OutOfMemoryError:
            self.model = self.model.to("cpu")
            return self.model.generate(audio.to("cpu"))

    def another_fault(self, audio):
        try:
            return self.model.generate(audio)
        except (ValueError, KeyError):
            return self.model.generate(audio.float())

    def later(self, audio):
        try:
            return self.model.generate(audio)
        except torch.OutOfMemoryError:
            self.queue.put(lambda: self.model.generate(audio))
            return None
