use_card() {
    local card="${1:-0}"
    export CUDA_VISIBLE_DEVICES="$card"  # ~ missing-device-order warning
}
