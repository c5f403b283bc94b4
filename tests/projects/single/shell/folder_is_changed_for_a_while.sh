pushd scripts
popd
(cd scripts; ls)
CUDA_VISIBLE_DEVICES=1 python ./train.py  # ~ missing-device-order warning
