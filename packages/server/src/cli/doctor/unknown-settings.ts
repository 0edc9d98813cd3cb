import { variables } from '../../config.ts';

const known = Object.keys(variables);
/** Read by the scripts around the program, not by the program. */
const ofScripts = /^LATCHKEY_(TEST|RECORD|CHROMIUM|BENCH|STRIPE_MOCK)/;

/** Names in an environment that look like settings and are none, each with the setting that was probably meant. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>) {
  return Object.keys(environment)
    .filter((name) => name.startsWith('LATCHKEY_') && !known.includes(name) && !ofScripts.test(name))
    .toSorted()
    .map((name) => ({ name, meant: nearest(name) }));
}

function nearest(name: string): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= 4 ? best.candidate : undefined;
}

/** How many letters must be added, removed or replaced to make one text of the other. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
