"""TensorZero's gateway from PyPI, without keys and log, before the provider whose API's address is given; prints its own address."""
import signal
import sys
import tempfile

import openai
import tensorzero

with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
    config.write(f"""
[gateway]
observability.enabled = false
[models.m]
routing = ["p"]
[models.m.providers.p]
type = "openai"
model_name = "gpt-5-mini"
api_base = "{sys.argv[1]}"
api_key_location = "none"
""")
    config.flush()
    client = tensorzero.patch_openai_client(openai.OpenAI(api_key="none"), config_file=config.name, async_setup=False)
print(client.base_url, flush=True)
signal.pause()
