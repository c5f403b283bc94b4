case "$CUDA" in
  11) pip install cupy-cuda11x ;;
  12) pip install cupy-cuda12x ;;
esac
