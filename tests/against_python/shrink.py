"""Makes a program smaller as long as it still shows what it is to show."""

PASSES = 6


def smallest(texts, wanted):
    """Deletes and unwraps lines, and whole files, while `wanted` holds of what is left."""
    wanted = remembered(wanted)
    for _ in range(PASSES):
        before = texts
        for name in sorted(texts):
            if name != "main.py":
                texts = kept({other: text for other, text in texts.items() if other != name}, texts, wanted)
        for name in sorted(texts):
            texts = smaller_file(chunks_deleted(texts, name, wanted), name, wanted)
        if texts == before:
            break
    return texts


def remembered(wanted):
    """Asks once of each text: many ways of making a program smaller come to the same."""
    answers = {}

    def asked(texts):
        key = tuple(sorted(texts.items()))
        if key not in answers:
            answers[key] = wanted(texts)
        return answers[key]

    return asked


def kept(candidate, texts, wanted):
    return candidate if wanted(candidate) else texts


def chunks_deleted(texts, name, wanted):
    """Without runs of lines, of halves first: most of a program has nothing to do with what it shows."""
    size = len(texts[name].splitlines()) // 2
    while size > 1:
        start = 0
        while start < len(texts[name].splitlines()):
            lines = texts[name].splitlines()
            changed = filled(lines[:start] + lines[start + size:])
            text = "".join(line + "\n" for line in changed)
            # A `pass` may take the place of what went.
            if len(changed) < len(lines) and compiles(text) and wanted({**texts, name: text}):
                texts = {**texts, name: text}
            else:
                start += size
        size //= 2
    return texts


def smaller_file(texts, name, wanted):
    number = len(texts[name].splitlines())
    # From the end, since what is at the end is needed by nothing.
    while number:
        number -= 1
        lines = texts[name].splitlines()
        if number >= len(lines):
            continue
        for change in (without_block, without_header, without_line):
            changed = change(lines, number)
            text = "\n".join(changed) + "\n" if changed else ""
            if changed != lines and compiles(text) and wanted({**texts, name: text}):
                texts = {**texts, name: text}
                break
    return texts


def compiles(text):
    try:
        compile(text, "candidate", "exec")
    except SyntaxError:
        return False
    return True


def depth(line):
    return len(line) - len(line.lstrip())


def end_of(lines, number):
    end = number + 1
    while end < len(lines) and depth(lines[end]) > depth(lines[number]):
        end += 1
    return end


def filled(lines):
    """With `pass` where a block lost all that it held."""
    whole = []
    for number, line in enumerate(lines):
        whole.append(line)
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.endswith(":") and depth(following) <= depth(line):
            whole.append(" " * (depth(line) + 4) + "pass")
    return whole


def without_block(lines, number):
    """Without a line and all that is below it; with `else`, `except` and `finally` that belong to it."""
    end = end_of(lines, number)
    while lines[number].lstrip().startswith(("try:", "if ", "for ", "while ")) and end < len(lines):
        word = lines[end].lstrip().split(" ")[0].rstrip(":")
        if depth(lines[end]) != depth(lines[number]) or word not in ("else", "elif", "except", "finally"):
            break
        end = end_of(lines, end)
    return filled(lines[:number] + lines[end:])


def without_line(lines, number):
    """One section of a compound statement alone, or an empty block."""
    return filled(lines[:number] + lines[end_of(lines, number):])


def without_header(lines, number):
    """What a block holds, without the block; what follows it as `else` or `except` goes."""
    if not lines[number].endswith(":"):
        return lines
    end = end_of(lines, number)
    body = [line[4:] for line in lines[number + 1:end]]
    rest = end
    while rest < len(lines) and depth(lines[rest]) == depth(lines[number]):
        if lines[rest].lstrip().split(" ")[0].rstrip(":") not in ("else", "elif", "except", "finally"):
            break
        rest = end_of(lines, rest)
    return filled(lines[:number] + body + lines[rest:])
