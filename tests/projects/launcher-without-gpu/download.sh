#!/bin/bash
# Fetches the data; no GPU here.
mkdir -p data
curl -L "https://example.org/data.zip" -o data/data.zip
unzip -q data/data.zip -d data
