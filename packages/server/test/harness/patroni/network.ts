import { execFileSync, spawnSync } from 'node:child_process';
import { isAlive } from '../processes.ts';

/** Three machines and this one on a network of their own: each has a network namespace and a cable to one switch. */
export interface Network extends Disposable {
  /** The address of this machine. */
  here: string;
  /** The address of a machine, and the command prefix for programs that run on it. */
  machine(number: number): { address: string; on: readonly string[] };
  /** Loses every packet between one machine and the other two, in both directions. This one still reaches all of them. */
  cutFromOthers(number: number): void;
  /** Loses every packet from and to a machine. */
  unplug(number: number): void;
  /** Undoes both. */
  reconnect(number: number): void;
}

const machines = [1, 2, 3];
const prefix = 'lkha';
/** Nothing has this address, so what is sent to it is lost without an answer. */
const nowhere = '02:00:00:00:00:ff';

function ip(...args: string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns why there can be no such network here, if so. */
export function withoutNetworks(): string | undefined {
  const name = `${prefix}-try-${process.pid}`;
  const made = spawnSync('ip', ['netns', 'add', name]);
  if (made.status !== 0) return 'Network namespaces cannot be created here: that takes root and iproute2.';
  const bridge = spawnSync('ip', ['link', 'add', `${prefix}try`, 'type', 'bridge']);
  if (bridge.status === 0) ip('link', 'del', `${prefix}try`);
  ip('netns', 'del', name);
  return bridge.status === 0 ? undefined : 'This kernel has no bridges.';
}

export function createNetwork(): Network {
  removeLeftovers();
  const subnet = freeSubnet();
  const addressOf = (number: number) => `10.213.${subnet}.${number}`;
  const bridge = `${prefix}${subnet}`;
  const cable = (number: number) => `${bridge}n${number}`;
  const namespace = (number: number) => `${prefix}-${process.pid}-${subnet}-${number}`;
  const within = (number: number) => ['ip', 'netns', 'exec', namespace(number)];
  const others = (number: number) => machines.filter((other) => other !== number);

  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', `${addressOf(254)}/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  for (const number of machines) {
    const inside = ['-n', namespace(number)];
    ip('netns', 'add', namespace(number));
    ip('link', 'add', cable(number), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace(number));
    ip('link', 'set', cable(number), 'master', bridge, 'up');
    ip(...inside, 'addr', 'add', `${addressOf(number)}/24`, 'dev', 'eth0');
    ip(...inside, 'link', 'set', 'eth0', 'up');
    ip(...inside, 'link', 'set', 'lo', 'up');
  }

  /** What the machine sends to the address goes nowhere. */
  const lose = (from: number, to: number) =>
    ip('-n', namespace(from), 'neigh', 'replace', addressOf(to), 'lladdr', nowhere, 'nud', 'permanent', 'dev', 'eth0');
  const find = (from: number, to: number) =>
    spawnSync('ip', ['-n', namespace(from), 'neigh', 'del', addressOf(to), 'dev', 'eth0']);

  return {
    here: addressOf(254),
    machine: (number) => ({ address: addressOf(number), on: within(number) }),
    cutFromOthers: (number) => {
      for (const other of others(number)) {
        lose(number, other);
        lose(other, number);
      }
    },
    unplug: (number) => void ip('link', 'set', cable(number), 'down'),
    reconnect: (number) => {
      ip('link', 'set', cable(number), 'up');
      for (const other of others(number)) {
        find(number, other);
        find(other, number);
      }
    },
    [Symbol.dispose]: () => {
      for (const number of machines) ip('netns', 'del', namespace(number));
      ip('link', 'del', bridge);
    },
  };
}

function freeSubnet(): number {
  const taken = ip('-o', '-4', 'addr');
  for (let tries = 0; tries < 250; tries += 1) {
    const subnet = 1 + ((process.pid + tries) % 250);
    if (!taken.includes(`10.213.${subnet}.`)) return subnet;
  }
  throw new Error('All networks are taken.');
}

/** Removes the networks of test processes that were killed before they could. */
function removeLeftovers(): void {
  for (const [name, pid, subnet] of ip('netns', 'list').matchAll(new RegExp(`${prefix}-(\\d+)-(\\d+)-\\d`, 'g'))) {
    if (isAlive(Number(pid))) continue;
    spawnSync('ip', ['netns', 'del', name]);
    spawnSync('ip', ['link', 'del', `${prefix}${subnet}`]);
  }
}
