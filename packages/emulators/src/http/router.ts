interface Node<Target> {
  fixed: Map<string, Node<Target>>;
  any?: Node<Target>;
  targets: Map<string, Found<Target>>;
}

interface Found<Target> {
  target: Target;
  label: string;
  names: readonly string[];
}

export type Params = Readonly<Record<string, string>>;

export type Match<Target> =
  | { kind: 'found'; target: Target; label: string; params: Params }
  | { kind: 'wrong-method' }
  | { kind: 'nothing' };

/** Finds the target of a method and a path such as `/guilds/:guild/roles`. Fixed segments take precedence over named ones. */
export class Router<Target> {
  readonly #root: Node<Target> = { fixed: new Map(), targets: new Map() };

  add(method: string, pattern: string, target: Target): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of pattern.split('/').slice(1)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        node.any ??= { fixed: new Map(), targets: new Map() };
        node = node.any;
      } else {
        const next: Node<Target> = node.fixed.get(segment) ?? { fixed: new Map(), targets: new Map() };
        node.fixed.set(segment, next);
        node = next;
      }
    }
    node.targets.set(method, { target, label: `${method} ${pattern}`, names });
  }

  /** Every method and pattern that was added. */
  labels(node = this.#root): string[] {
    const below = [...node.fixed.values(), ...(node.any === undefined ? [] : [node.any])];
    return [...[...node.targets.values()].map(({ label }) => label), ...below.flatMap((next) => this.labels(next))];
  }

  find(method: string, path: string): Match<Target> {
    const values: string[] = [];
    const node = walk(this.#root, path.split('/'), 1, values);
    if (node === undefined) return { kind: 'nothing' };
    const found = node.targets.get(method);
    if (found === undefined) return { kind: 'wrong-method' };
    const params: Record<string, string> = {};
    for (const [index, name] of found.names.entries()) params[name] = decode(values[index] ?? '');
    return { kind: 'found', target: found.target, label: found.label, params };
  }
}

function walk<Target>(
  node: Node<Target>,
  segments: readonly string[],
  at: number,
  values: string[],
): Node<Target> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.targets.size > 0 ? node : undefined;
  const fixed = node.fixed.get(segment);
  const below = fixed && walk(fixed, segments, at + 1, values);
  if (below) return below;
  if (node.any === undefined || segment === '') return undefined;
  values.push(segment);
  const found = walk(node.any, segments, at + 1, values);
  if (found === undefined) values.pop();
  return found;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
