#!/bin/bash
/usr/local/bin/ollama list
./tools/report.sh
