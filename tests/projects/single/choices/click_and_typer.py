import click
import typer

app = typer.Typer()


@click.command()
@click.option("--device", default="cuda:1")
@click.option("--batch", default=1)
def train(device, batch):
    print(device, batch)


@app.command()
def predict(device: str = typer.Option("cuda:1", help="which card")):
    print(device)


if __name__ == "__main__":
    app()
