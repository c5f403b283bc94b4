import unittest
from unittest import mock

import service


class EngineTest(unittest.TestCase):
    def setUp(self):
        patcher = mock.patch("service.load_model")
        self.load_model = patcher.start()
        self.addCleanup(patcher.stop)

    def test_engine(self):
        service.Engine("tiny")
