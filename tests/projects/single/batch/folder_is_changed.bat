set CUDA_VISIBLE_DEVICES=1
rem # ~^ missing-device-order warning
pushd sub
cd /d ..
popd
cd sub
python ..\train.py
