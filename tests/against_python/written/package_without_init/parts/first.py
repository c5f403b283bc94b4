import parts.second
