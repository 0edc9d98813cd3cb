import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit as visitNodes,
} from 'yaml';
import { type FileProblem, type Place, UsageError } from '../problems.ts';

/** A value of a file, and where each of its parts is. */
export interface Located {
  value: unknown;
  /** The place of the part at a JSON Pointer, or of the nearest part around it. */
  placeOf(path: string): Place;
}

export interface YamlFile extends Located {
  file: string;
  document: Document.Parsed;
}

const mostNodes = 200_000;
const mostLevels = 100;

/**
 * Parses a file. Numbers that a number cannot hold exactly stay text: ids of Discord have 18 digits, and an address without quotes
 * is a number to YAML. `fill` replaces variables in texts.
 */
export function readYaml(
  file: string,
  text: string,
  fill: (text: string, place: Place) => string,
): { read: YamlFile; problems: FileProblem[] } {
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  const targets = targetsIn(document);
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const places = new Map<string, Place>();
  const problems: FileProblem[] = document.errors.map(({ message, pos }) => ({ place: at(pos[0]), message }));
  let nodes = 0;
  // An alias may be inside of what it names.
  const visit = (node: unknown, path: string, level = 0): unknown => {
    nodes += 1;
    if (level > mostLevels) nodes = mostNodes + 1;
    if (nodes > mostNodes) return undefined;
    const { range } = (node ?? {}) as Partial<Node>;
    const place = at(range?.[0] ?? 0);
    if (!places.has(path)) places.set(path, place);
    if (isAlias(node)) return visit(targets.get(node), path, level + 1);
    if (isSeq(node)) return node.items.map((item, index) => visit(item, `${path}/${index}`, level + 1));
    if (isMap(node))
      return Object.fromEntries(
        node.items.map(({ key, value }) => {
          const name = isScalar(key) ? textOf(key) : String(key);
          const step = `${path}/${escapeStep(name)}`;
          // What is wrong with a text is wrong there; anything larger is named by its field.
          if (!isScalar(value)) places.set(step, at((key as Partial<Node> | null)?.range?.[0] ?? range?.[0] ?? 0));
          const filled = visit(value, step, level + 1);
          return [fill(name, places.get(step) ?? place), filled];
        }),
      );
    if (!isScalar(node)) return undefined;
    const value = readScalar(node);
    return typeof value === 'string' ? fill(value, place) : value;
  };
  const value = visit(document.contents, '');
  if (nodes > mostNodes)
    problems.push({ place: at(0), message: `A file can have at most ${mostNodes} values, ${mostLevels} levels deep.` });
  return { read: { file, document, value, placeOf: (path) => nearest(places, path) ?? at(0) }, problems };
}

/** The parser recurses, so brackets in brackets can use up the stack. */
function parseYaml(text: string, lineCounter: LineCounter): Document.Parsed {
  const options = { lineCounter, prettyErrors: false, uniqueKeys: true };
  try {
    return parseDocument(text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`A file can be at most ${mostLevels} levels deep.`);
  }
}

/** What each alias names: the last node before it with this anchor. Found in one pass, because looking one up reads the document. */
function targetsIn(document: Document.Parsed): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visitNodes(document, {
    Node: (_key, node) => {
      const target = isAlias(node) ? anchors.get(node.source) : undefined;
      if (isAlias(node) && target !== undefined) targets.set(node, target);
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

/** A step of a JSON Pointer. */
export function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function nearest(places: ReadonlyMap<string, Place>, path: string): Place | undefined {
  for (let rest = path; ; rest = rest.slice(0, rest.lastIndexOf('/'))) {
    const place = places.get(rest);
    if (place !== undefined || rest === '') return place;
  }
}

function readScalar(scalar: Scalar): unknown {
  const { value, source } = scalar;
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  return source === undefined || String(value) === source ? Number(value) : source;
}

function textOf(scalar: Scalar): string {
  return scalar.source ?? String(scalar.value);
}
