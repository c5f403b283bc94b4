#!/usr/bin/env bash
ollama serve &  # ~ missing-visible-devices note
wait
