import assert from 'node:assert/strict';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { signerUrlOf } from '@latchkey/db';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { type DevChain, deployWalletRegistry, startDevChain, walletRegistryAbi } from '@latchkey/emulators/evm-chain';
import { bound, until } from '@latchkey/test-kit';
import pg from 'pg';
import { createPublicClient, hexToBytes, http, keccak256, toHex, verifyMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { newDevice } from '../../test/harness/passkeys.ts';
import { type Environment, type LatchkeyProcess, runLatchkey, startLatchkey } from '../../test/harness/processes.ts';

type Hex = `0x${string}`;

describe('a server, a worker and signers on one database', () => {
  const registrarKey = keccak256(toHex('registrar of the processes apart'));
  let database: TestDatabase;
  let chain: DevChain;
  let environment: Environment;
  let admin: pg.Client;
  let parts: LatchkeyProcess[] = [];
  let url: string;
  let token = '';

  before(async () => {
    database = await createTestDatabase({ name: 'signers-apart', migrate: true });
    chain = await startDevChain();
    const registry = await deployWalletRegistry(chain, privateKeyToAccount(registrarKey).address);
    environment = {
      DATABASE_URL: database.url,
      LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
      LATCHKEY_PORT: '0',
      LATCHKEY_EVM_RPC_URLS: `${chain.chainId}=${chain.url}`,
      LATCHKEY_REGISTRY_ADDRESS: registry,
      LATCHKEY_REGISTRY_CHAIN_ID: String(chain.chainId),
      LATCHKEY_REGISTRAR_KEY: registrarKey,
      LATCHKEY_STEP_UP_REST_HOURS: '0',
      LATCHKEY_REGISTRY_SPEND_PER_DAY: '1',
      LATCHKEY_REGISTRY_SPEND_PER_CALLER: '1',
      LATCHKEY_SPENDERS: 'people',
    };
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const [server, worker] = [
      startLatchkey(['server'], environment),
      startLatchkey(['worker'], { ...environment, LATCHKEY_METRICS_PORT: '0' }),
    ];
    parts = [server, worker];
    [, url = ''] = await server.printed(/"baseUrl":"([^"]+)".*Latchkey server is running/);
    await worker.printed(/Latchkey worker is running/);
    token = `AE ${await signIn()}`;
  });
  after(async () => {
    await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    await admin.end();
    await chain.stop();
    await database.drop();
  });

  /** Signs in a user with their own wallet. */
  async function signIn(): Promise<string> {
    const account = privateKeyToAccount(keccak256(toHex('a person with a wallet')));
    const accountId = `evm:1:${account.address}`;
    const { requestId, message } = (await call('POST', '/ethereum-login/challenges', { accountId })).json;
    const signature = await account.signMessage({ message });
    return (await call('POST', '/ethereum-login/id-tokens', { requestId, accountId, signature })).json.idToken;
  }

  async function startSigner(more: Environment = {}): Promise<LatchkeyProcess> {
    const { DATABASE_URL: _servers, LATCHKEY_MASTER_KEYS: _keys, ...rest } = environment;
    const signer = startLatchkey(['signer'], {
      ...rest,
      LATCHKEY_SIGNER_DATABASE_URL: signerUrlOf(database.url),
      LATCHKEY_SIGNER_MASTER_KEYS: `s1:${Buffer.alloc(32, 7).toString('base64')}`,
      ...more,
    });
    parts.push(signer);
    await signer.printed(/Latchkey signer is running/);
    return signer;
  }

  async function call(method: string, path: string, json?: unknown) {
    const headers = {
      ...(token && { authorization: token }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const answer = await fetch(url + path, { method, headers, ...body });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), json: await answer.json() };
  }
  const sign = (address: string, message: string, otp?: string) =>
    call('POST', '/pkp/sign-message', { address, message, otp });
  /** Retries as long as the response says so, as on a machine that is too busy to respond in time. */
  function served(ask: () => ReturnType<typeof call>) {
    return until('there is a response', async () => {
      const answer = await ask();
      return answer.status !== 503 && answer;
    });
  }

  /** Approves a text with a new passkey of the user, and has the wallet sign it. */
  async function approve(address: string, message: string): Promise<{ signature: Hex }> {
    const device = newDevice();
    const made = device.create((await call('GET', '/webauthn/registration/options')).json);
    assert.equal((await call('POST', '/webauthn/registration/verify', made)).status, 200);
    const request = await sign(address, message);
    assert.deepEqual([request.status, request.json.error.code], [400, 'INVALID_OTP']);
    const answer = device.get(request.json.error.details.passkeyOptions);
    const slug = (await call('POST', '/webauthn/authentication/store', answer)).json;
    const signed = await served(() => sign(address, message, slug));
    assert.equal(signed.status, 200, JSON.stringify(signed.json));
    return signed.json;
  }

  test('a signer that is given one of the servers’ master keys does not start', async () => {
    const { DATABASE_URL: _servers, ...rest } = environment;
    const { code, stderr } = await runLatchkey(['signer'], {
      ...rest,
      LATCHKEY_SIGNER_DATABASE_URL: signerUrlOf(database.url),
      LATCHKEY_SIGNER_MASTER_KEYS: `s1:${Buffer.alloc(32, 7).toString('base64')}`,
    });
    assert.equal(code, 1);
    assert.match(stderr, /must not have the servers’ master keys/);
  });

  test('without a signer a claim returns 503, and with one it ends in the registry', async (t) => {
    const early = await call('PUT', '/users/me/pkp');
    assert.deepEqual([early.status, early.retryAfter, early.json.error.code], [503, '5', 'UNAVAILABLE']);
    const signer = await startSigner();
    const claimed = await served(() => call('PUT', '/users/me/pkp'));
    assert.equal(claimed.status, 200, JSON.stringify(claimed.json));
    const { pkp, txHash } = claimed.json as { pkp: { ethAddress: Hex }; txHash: Hex };
    const client = createPublicClient({ transport: http(chain.url) });
    const receipt = await client.waitForTransactionReceipt({ hash: txHash });
    assert.equal(receipt.status, 'success');
    const [ownerHash] = await client.readContract({
      address: environment.LATCHKEY_REGISTRY_ADDRESS as Hex,
      abi: walletRegistryAbi,
      functionName: 'claimOf',
      args: [pkp.ethAddress],
    });
    assert.match(ownerHash, /^0x[0-9a-f]{64}$/);
    assert.ok(hexToBytes(ownerHash).some((byte) => byte !== 0));
    assert.deepEqual((await call('PUT', '/users/me/pkp')).json, claimed.json);
    const signed = await served(() => sign(pkp.ethAddress, 'hello'));
    assert.ok(await verifyMessage({ address: pkp.ethAddress, message: 'hello', signature: signed.json.signature }));
    const link = (await call('GET', '/account/auth-message')).json as { message: string };
    const { signature } = await approve(pkp.ethAddress, link.message);
    const proof = { address: pkp.ethAddress, message: link.message, signedMessage: signature };
    const linked = await call('POST', '/account/wallet-address', proof);
    assert.equal(linked.status, 200, JSON.stringify(linked.json));
    if (process.platform === 'linux') assert.deepEqual(await listeningSockets(signer.pid), []);
    const { code, tookMs } = await signer.stop();
    assert.equal(code, 0);
    await bound(t, 'the end of a signer', tookMs, 5_000);
    const down = await sign(pkp.ethAddress, 'hello');
    assert.deepEqual([down.status, down.retryAfter], [503, '5']);
  });

  /** Returns what a process serves on the health and metrics port that it logged. */
  async function watched(part: LatchkeyProcess): Promise<{ ready: number; text: string }> {
    const [, address = ''] = await part.printed(/"url":"([^"]+)".*Health and metrics are served/);
    const ready = await until('it is ready', async () => {
      const { status } = await fetch(`${address}/health/ready`);
      return status === 200 && status;
    });
    return { ready, text: await (await fetch(`${address}/metrics`)).text() };
  }

  test('a worker and a signer report health on separate ports', async () => {
    const [, worker] = parts;
    assert.ok(worker);
    const ofWorker = await watched(worker);
    assert.match(ofWorker.text, /latchkey_build_info\{version="[\d.]+",kind="worker"\} 1/);
    assert.match(ofWorker.text, /^latchkey_processes\{kind="worker"\} [1-9]/m);
    assert.match(ofWorker.text, /^latchkey_jobs\{state="ready"\} \d+$/m);
    const signer = await startSigner({ LATCHKEY_METRICS_PORT: '0' });
    const ofSigner = await watched(signer);
    assert.match(ofSigner.text, /latchkey_build_info\{version="[\d.]+",kind="signer"\} 1/);
    assert.match(ofSigner.text, /^latchkey_signer_requests \d+$/m);
    assert.match(ofSigner.text, /^latchkey_database_up 1$/m);
    await signer.stop();
  });

  test('a signer that is killed in the middle of a signature is replaced by another, and it is signed once', async () => {
    const [first, second] = await Promise.all([startSigner(), startSigner()]);
    const claimed = (await served(() => call('PUT', '/users/me/pkp'))).json as { pkp: { ethAddress: Hex } };
    const address = claimed.pkp.ethAddress;
    second.signal('SIGSTOP');
    // The next signature waits for this lock, with the request claimed and nothing written.
    await admin.query('begin');
    await admin.query('select from signer.keys for update');
    const signing = sign(address, 'only once');
    await until('the signer waits for the lock', async () => {
      const { rows } = await admin.query(
        `select 1 from pg_stat_activity where usename = 'latchkey_signer' and wait_event_type = 'Lock'
         and datname = current_database()`,
      );
      return rows.length === 1;
    });
    first.signal('SIGKILL');
    await first.ended();
    await admin.query('rollback');
    second.signal('SIGCONT');
    const { status, json } = await signing;
    const { rows } = await admin.query(`select 1 from signer.signatures where text = 'only once'`);
    // If the machine is so busy that no signer responded in time, nothing may be signed.
    assert.deepEqual([status, rows.length], status === 503 ? [503, 0] : [200, 1], JSON.stringify(json));
    const { signature } = status === 200 ? json : (await served(() => sign(address, 'only once'))).json;
    assert.ok(await verifyMessage({ address, message: 'only once', signature }));
    assert.equal((await admin.query('select 1 from signer.requests')).rowCount, 0);
  });
});

/** Returns the sockets on which a process accepts connections, according to the kernel. */
async function listeningSockets(pid: number): Promise<string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const tcp = await Promise.all(['tcp', 'tcp6'].map((file) => readFile(`/proc/${pid}/net/${file}`, 'utf8')));
  const unix = await readFile(`/proc/${pid}/net/unix`, 'utf8');
  const rowsOf = (text: string) => text.split('\n').map((line) => line.trim().split(/\s+/));
  // State 0A is LISTEN, and the inode is the tenth column.
  const listening = tcp
    .flatMap(rowsOf)
    .filter((row) => row[3] === '0A')
    .map((row) => row[9] ?? '');
  // These flags say that a Unix socket accepts connections, and the inode is the seventh column.
  const accepting = rowsOf(unix)
    .filter((row) => row[3] === '00010000')
    .map((row) => row[6] ?? '');
  return [...listening, ...accepting].filter((inode) => own.has(inode));
}
