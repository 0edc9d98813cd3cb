import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { getAddress, type Hex, keccak256, recoverMessageAddress, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, publicKeyToAddress } from 'viem/accounts';

/** The arguments of a call to the packages below; each call uses some of them. */
interface SigningCall {
  call: keyof typeof calls;
  key: Hex;
  text: string;
  /** The bytes of a message. */
  raw: Hex;
  signature: Hex;
}

const calls = {
  create: () => generatePrivateKey(),
  address: ({ key }: SigningCall) => privateKeyToAccount(key).address,
  sign: ({ key, raw }: SigningCall) => privateKeyToAccount(key).signMessage({ message: { raw } }),
  recover: ({ raw, signature }: SigningCall) => recoverMessageAddress({ message: { raw }, signature }),
  keccak: ({ text }: SigningCall) => keccak256(toHex(text)),
  checksum: ({ text }: SigningCall) => getAddress(text),
  publicKey: ({ raw }: SigningCall) => publicKeyToAddress(raw),
};

const packages = {
  'eth_account/__init__.py': `
import json
import os
import urllib.request


def ask(call, **given):
    body = json.dumps({"call": call, **given}).encode()
    with urllib.request.urlopen(os.environ["ETH_ACCOUNT_URL"], body) as response:
        return json.load(response)


class HexBytes(bytes):
    def to_0x_hex(self):
        return "0x" + self.hex()


class SignedMessage:
    def __init__(self, signature):
        self.signature = HexBytes.fromhex(signature[2:])


class LocalAccount:
    def __init__(self, key):
        self.hex = key
        self.address = ask("address", key=key)

    def sign_message(self, signable):
        return SignedMessage(ask("sign", key=self.hex, raw=signable.raw))


class Account:
    @staticmethod
    def create():
        return LocalAccount(ask("create"))

    @staticmethod
    def from_key(key):
        return LocalAccount("0x" + key.hex() if isinstance(key, bytes) else key)

    @staticmethod
    def recover_message(signable, *, signature):
        return ask("recover", raw=signable.raw, signature=signature)
`,
  'eth_account/messages.py': `
class SignableMessage:
    def __init__(self, body):
        self.raw = "0x" + body.hex()


def encode_defunct(primitive=None, *, text=None):
    return SignableMessage(text.encode() if primitive is None else primitive)
`,
  'eth_keys/datatypes.py': `
from eth_account import ask


class PublicKey:
    def __init__(self, body):
        self.raw = "0x04" + body.hex()

    def to_checksum_address(self):
        return ask("publicKey", raw=self.raw)
`,
  'eth_utils/__init__.py': `
from eth_account import HexBytes, ask


def keccak(*, text):
    return bytes(HexBytes.fromhex(ask("keccak", text=text)[2:]))


def to_checksum_address(value):
    return ask("checksum", text=value)
`,
};

/**
 * Replaces Python's eth_account, eth_keys and eth_utils on a machine without them, as far as pages use them: the same names, implemented
 * with viem. If the real ones are installed, programs run with those.
 */
export async function startEthAccount(folder: string) {
  for (const [name, text] of Object.entries(packages)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const server = createServer(async (request, response) => {
    try {
      const requested = (await json(request)) as SigningCall;
      response.end(JSON.stringify(await calls[requested.call](requested)));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    environment: { PYTHONPATH: folder, ETH_ACCOUNT_URL: `http://127.0.0.1:${port}` },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
