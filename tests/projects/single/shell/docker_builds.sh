docker build --build-arg CUDA_VISIBLE_DEVICES=0,1 -t trainer:1 .
docker compose run trainer
docker ps -a
