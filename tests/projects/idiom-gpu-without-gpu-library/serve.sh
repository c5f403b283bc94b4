#!/usr/bin/env bash
ollama serve &  # ~ missing-visible-devices warning
wait
