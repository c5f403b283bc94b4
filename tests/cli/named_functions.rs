//! Programs whose functions are started by what the command line says, or by a runner: each is followed into the function.

use crate::project::Project;

/// Functions that a runner or the command line starts; each program uses the GPU in `train` alone.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "argparse",
        "import argparse
def train(args): torch.cuda.init()
def test(args): pass
parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest='command')
commands.add_parser('train').set_defaults(func=train)
commands.add_parser('test').set_defaults(func=test)
args = parser.parse_args()
args.func(args)
",
    ),
    (
        "argparse in parts",
        "import argparse
def train(args): torch.cuda.init()
def add(commands):
    command = commands.add_parser('train')
    command.set_defaults(run=train)
def main():
    parser = argparse.ArgumentParser()
    add(parser.add_subparsers())
    args = parser.parse_args()
    run = args.run
    run(args)
main()
",
    ),
    (
        "fire",
        "import fire\ndef train(gpu=0): torch.cuda.init()\nif __name__ == '__main__':\n    fire.Fire()\n",
    ),
    ("fire of a dictionary", "import fire\ndef train(): torch.cuda.init()\nfire.Fire({'train': train})\n"),
    (
        "fire of a class",
        "import fire\nclass Tool:\n    def train(self): torch.cuda.init()\nfire.Fire(Tool)\n",
    ),
    (
        "fire of a class without a statement",
        "import fire
class Base:
    def train(self): torch.cuda.init()
fire.Fire(type('Tool', (Base,), {}))
",
    ),
    (
        "a method of such a class that the command line names",
        "import argparse
class Base:
    def train(self): torch.cuda.init()
tool = type('Tool', (Base,), {})()
parser = argparse.ArgumentParser()
parser.add_argument('command')
args = parser.parse_args()
getattr(tool, args.command)()
",
    ),
    (
        "click",
        "import click
@click.group()
def cli(): pass
@click.command()
def train(): torch.cuda.init()
cli.add_command(train)
cli()
",
    ),
    (
        "a method that the command line names",
        "import argparse
class Tool:
    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument('command')
        getattr(self, parser.parse_args().command)()
    def train(self): torch.cuda.init()
Tool()
",
    ),
    (
        "a function that the command line names",
        "import sys\ndef train(): torch.cuda.init()\ndef test(): pass\nglobals()[sys.argv[1]]()\n",
    ),
    (
        "jsonargparse",
        "from jsonargparse import CLI\ndef train(gpu: int = 0): torch.cuda.init()\nCLI(train)\n",
    ),
    ("plac", "import plac\ndef train(): torch.cuda.init()\nplac.call(train)\n"),
    ("a sweep", "import wandb\ndef train(): torch.cuda.init()\nwandb.agent('sweep', function=train)\n"),
    (
        "a study",
        "import optuna\ndef train(trial): torch.cuda.init()\noptuna.create_study().optimize(train, n_trials=1)\n",
    ),
    (
        "an experiment",
        "from sacred import Experiment\nex = Experiment()\n@ex.automain\ndef train(_run): torch.cuda.init()\n",
    ),
    (
        "an experiment that is started",
        "from sacred import Experiment\nex = Experiment()\n@ex.main\ndef train(_run): torch.cuda.init()\nex.run_commandline()\n",
    ),
    (
        "Lightning",
        "from lightning.pytorch.cli import LightningCLI
class Model:
    def __init__(self): torch.cuda.init()
LightningCLI(Model)
",
    ),
    ("TensorFlow", "import tensorflow as tf\ndef main(_): torch.cuda.init()\ntf.app.run()\n"),
    (
        "a prompt",
        "import cmd\nclass Shell(cmd.Cmd):\n    def preloop(self): pass\n    def do_train(self, line): torch.cuda.init()\nShell().cmdloop()\n",
    ),
    (
        "a server",
        "from flask import Flask\napp = Flask(__name__)\n@app.route('/')\ndef answer(): torch.cuda.init()\napp.run()\n",
    ),
    (
        "a server in parts",
        "from fastapi import APIRouter, FastAPI
router = APIRouter()
@router.post('/answer')
async def answer(): torch.cuda.init()
app = FastAPI()
app.include_router(router)
",
    ),
    (
        "an interface",
        "import gradio as gr
def answer(text): torch.cuda.init()
with gr.Blocks() as demo:
    gr.Button().click(fn=answer, inputs=[], outputs=[])
demo.launch()
",
    ),
    (
        "a worker without servers",
        "import runpod\ndef answer(job): torch.cuda.init()\nrunpod.serverless.start({'handler': answer})\n",
    ),
    ("a profile", "import cProfile\ndef train(): torch.cuda.init()\ncProfile.run('train()')\n"),
];

#[test]
fn each_is_followed() {
    let with_torch = |text: &str| format!("import torch\n{text}");
    let file = |number: usize| format!("program_{number}.py");
    let project = PROGRAMS
        .iter()
        .enumerate()
        .fold(Project::new(), |project, (number, (_, text))| project.file(&file(number), with_torch(text)));
    for (number, (name, text)) in PROGRAMS.iter().enumerate() {
        let line = 1 + with_torch(text).lines().position(|line| line.contains("torch.cuda.init")).unwrap();
        let said = project.run(&format!("trace {}", file(number)));
        let expected = format!("First GPU use: torch.cuda.init() at {}:{line}\n", file(number));
        assert!(said.stdout.contains(&expected), "{name}: {said:?}");
    }
}

#[test]
fn a_function_that_no_command_has_is_not_run() {
    let text = "import argparse
import torch
def train(args): torch.cuda.init()
def test(args): pass
parser = argparse.ArgumentParser()
parser.set_defaults(func=test)
args = parser.parse_args()
args.func(args)
";
    let said = Project::new().file("main.py", text).run("trace main.py");
    assert!(said.stdout.contains("No call that initialises CUDA was seen."), "{said:?}");
}

#[test]
fn a_server_answers_when_it_has_started() {
    let app = "import os
import torch
from fastapi import FastAPI
app = FastAPI()
@app.get('/')
def answer(): torch.cuda.init()
@app.on_event('startup')
def start(): os.environ['CUDA_VISIBLE_DEVICES'] = '1'
";
    let test = "from app import app\n\n\ndef test_app():\n    assert app\n";
    let project = Project::new().file("app.py", app).file("test_app.py", test);
    let said = project.run("trace app.py");
    let end = "First GPU use: torch.cuda.init() at app.py:6\n  CUDA_VISIBLE_DEVICES is \"1\"\n";
    assert!(said.stdout.contains(end), "{said:?}");
    let said = project.run("trace test_app.py");
    assert!(said.stdout.contains("No call that initialises CUDA was seen."), "{said:?}");
}

/// No statement defines the class, and the process that is started has its object.
#[test]
fn an_object_of_a_class_without_a_statement_is_used_in_a_child() {
    let text = "import torch
import torch.multiprocessing as mp
class Base(torch.nn.Module):
    def forward(self, x): return x
model = type('Made', (Base,), {})().cuda()
def work(rank):
    model(torch.zeros(1))
if __name__ == '__main__':
    mp.spawn(work, nprocs=2)
";
    let said = Project::new().file("main.py", text).run("trace main.py");
    let child = "Made()() initialises CUDA: computes with what lies on the GPU  (in a child process)";
    assert!(said.stdout.contains(child), "{said:?}");
}
