ssh -T gpu-box <<'EOF'
export CUDA_VISIBLE_DEVICES=1  # ~ missing-device-order warning
python train.py
EOF
