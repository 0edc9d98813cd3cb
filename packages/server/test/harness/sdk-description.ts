interface Described {
  operationId: string;
  responses: Record<string, { headers?: unknown }>;
}

export interface Description {
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, unknown>>;
}

/**
 * Returns the description without what the original SDK does not use: errors, response headers, and operations that it
 * does not know. It expands each for each operation, which takes four times as long as everything else.
 * contract/sdk-description has it read operations unchanged.
 */
export function shortenForSdk(description: Description): Description {
  const published = Object.entries(description.paths).filter(([path]) => !path.startsWith('/latchkey/'));
  const paths = published.map(([path, item]) => [path, mapValues(item, shortenOperation)] as const);
  return withPaths(description, paths);
}

/** Returns the description of some paths, with the components that they refer to. */
export function withPaths(
  { components, ...rest }: Description,
  some: readonly (readonly [string, Description['paths'][string]])[],
): Description {
  const paths = Object.fromEntries(some);
  const needed = new Set<string>();
  const follow = (part: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)) {
      if (needed.has(`${kind}/${name}`)) continue;
      needed.add(`${kind}/${name}`);
      follow(components[kind]?.[name]);
    }
  };
  follow(paths);
  const kept = Object.entries(components).map(([kind, parts]) => [
    kind,
    Object.fromEntries(
      Object.entries(parts).filter(([name]) => kind === 'securitySchemes' || needed.has(`${kind}/${name}`)),
    ),
  ]);
  return { ...rest, components: Object.fromEntries(kept), paths };
}

function shortenOperation(operation: Described): Described {
  const successes = Object.entries(operation.responses).filter(([status]) => !/^[45]/.test(status));
  const responses = mapValues(Object.fromEntries(successes), ({ headers: _, ...response }) => response);
  return { ...operation, responses };
}

function mapValues<Value>(record: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
