#!/usr/bin/env bash
# Downloads the published packages that gpulint is measured on, and unpacks them side by side.
#
#   scripts/fetch_packages.sh FOLDER [all|strangers]
#
# Afterwards FOLDER holds whisperx-3.8.6/, faster-whisper-1.2.1/, TTS-0.22.0/, lightning-2.6.6/ and
# transformers-5.23.0/ (the text that is linted) and ruff-0.17.5/bin/ruff (the linter we are compared with); with `all`
# also the further packages and repositories that docs/evaluation.md reads, and with `strangers` nothing but the
# repositories that docs/strangers.md lists.
# Nothing is installed, built or imported: a wheel is a zip file, and only its files are wanted. What is
# already there is left alone, so the script may be run again.
set -euo pipefail

usage() {
  echo "usage: scripts/fetch_packages.sh FOLDER [all|strangers]" >&2
  exit 2
}
[ $# -eq 1 ] || [ $# -eq 2 ] || usage
case ${2:-} in "" | all | strangers) ;; *) usage ;; esac

mkdir -p "$1"
folder=$(cd "$1" && pwd)
wheels="$folder/.wheels"
mkdir -p "$wheels"

# clone NAME URL COMMIT: one repository at one commit into FOLDER/NAME-COMMIT.
clone() {
  local target="$folder/$1-$3"
  if [ ! -e "$target" ]; then
    git clone --quiet --filter=blob:none --no-checkout "$2" "$target"
    git -C "$target" checkout --quiet "$3"
  fi
}

if [ "${2:-}" = strangers ]; then
  # The rows of the page's table: | number | owner/name | commit |
  list=$(dirname "${BASH_SOURCE[0]}")/../docs/strangers.md
  sed -nE 's/^\| [0-9]+ \| ([^ |]+) \| ([0-9a-f]{40}) \|$/\1 \2/p' "$list" | while read -r repository commit; do
    clone "${repository#*/}" "https://github.com/$repository" "${commit:0:7}"
  done
  exit
fi

# unpack NAME VERSION [pip options…]: one wheel into FOLDER/NAME-VERSION.
unpack() {
  local name=$1 version=$2
  shift 2
  local target="$folder/$name-$version"
  if [ -e "$target/.complete" ]; then
    echo "$name $version: already there"
    return
  fi
  rm -rf "$target" "${wheels:?}/$name"
  # Into a folder of its own, so that the wheel is found whatever spelling its file name has.
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: "$@" \
    --dest "$wheels/$name" "$name==$version"
  mkdir -p "$target"
  python3 -m zipfile -e "$wheels/$name"/*.whl "$target"
  touch "$target/.complete"
  echo "$name $version: $(find "$target" -name '*.py' | wc -l) Python files"
}

# Python 3.11 is the newest for which every one of these exists as a wheel. TTS is compiled code for a few
# platforms; its Python files are the same in all of them, so one platform is named.
unpack whisperx 3.8.6 --python-version 3.11
unpack faster-whisper 1.2.1 --python-version 3.11
unpack TTS 0.22.0 --python-version 3.11 --platform manylinux1_x86_64
unpack lightning 2.6.6 --python-version 3.11
unpack transformers 5.23.0 --python-version 3.11

unpack ruff 0.17.5
ruff="$folder/ruff-0.17.5"
if [ ! -x "$ruff/bin/ruff" ]; then
  mkdir -p "$ruff/bin"
  mv "$ruff"/ruff-*.data/scripts/ruff* "$ruff/bin/"
  chmod +x "$ruff"/bin/ruff*
fi
"$ruff/bin/ruff" --version

if [ "${2:-}" != all ]; then
  exit
fi

# What docs/evaluation.md reads beside the five packages above; not part of the comparison with ruff.
unpack trl 1.16.0 --python-version 3.11
unpack diffusers 0.42.1 --python-version 3.11
unpack ultralytics 8.4.190 --python-version 3.11
unpack speechbrain 1.1.2 --python-version 3.11
unpack accelerate 1.15.0 --python-version 3.11
unpack kornia 0.9.0 --python-version 3.11
unpack peft 0.21.2 --python-version 3.11
unpack pyannote.audio 4.0.7 --python-version 3.11
unpack sentence-transformers 6.2.0 --python-version 3.11
unpack timm 1.0.31 --python-version 3.11

clone pytorch-examples https://github.com/pytorch/examples 77f55b9
clone Real-ESRGAN https://github.com/xinntao/Real-ESRGAN a4abfb2
clone FastChat https://github.com/lm-sys/FastChat 0e6d3e4
clone MedicalGPT https://github.com/shibing624/MedicalGPT 2f1008c
clone EAGLE https://github.com/SafeAILab/EAGLE cb7e084
clone deep-person-reid https://github.com/KaiyangZhou/deep-person-reid f8cd150
clone yolov5 https://github.com/ultralytics/yolov5 5081342

# Launchers, containers and configuration.
clone ChatGLM-6B https://github.com/THUDM/ChatGLM-6B 401bf3a
clone ColossalAI https://github.com/hpcaitech/ColossalAI 4f9953b
clone DeepLearningExamples https://github.com/NVIDIA/DeepLearningExamples 729963d
clone DeepSpeedExamples https://github.com/microsoft/DeepSpeedExamples 83757d9
clone Fengshenbang-LM https://github.com/IDEA-CCNL/Fengshenbang-LM c8fb7b8
clone GPT-SoVITS https://github.com/RVC-Boss/GPT-SoVITS 48b1a01
clone LLaMA-Factory https://github.com/hiyouga/LLaMA-Factory ff6d4d1
clone LLaVA https://github.com/haotian-liu/LLaVA c121f04
clone LMFlow https://github.com/OptimalScale/LMFlow f3597db
clone RealtimeSTT https://github.com/KoljaB/RealtimeSTT a89fabb
clone TTS https://github.com/coqui-ai/TTS dbf1a08
clone Time-Series-Library https://github.com/thuml/Time-Series-Library 4e938a1
clone accelerate https://github.com/huggingface/accelerate 16cb6eb
clone fairseq https://github.com/facebookresearch/fairseq 3d262bb
clone ignite https://github.com/pytorch/ignite de08e79
clone insightface https://github.com/deepinsight/insightface 7fadd42
clone text-generation-inference https://github.com/huggingface/text-generation-inference db931fc

# Rust.
clone burn https://github.com/tracel-ai/burn 2c06be3
clone candle https://github.com/huggingface/candle 2a13b0f
clone cudarc https://github.com/chelsea0x3b/cudarc 78d9b31
clone ort https://github.com/pykeio/ort 78de6d9
clone tch-rs https://github.com/LaurentMazare/tch-rs a1dc7ec
