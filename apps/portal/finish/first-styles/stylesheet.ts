import postcss, { type AtRule, type ChildNode, type Declaration, type Rule } from 'postcss';
import { namesOf } from './selector-names.ts';

/** A stylesheet that can be asked for the part that a page needs. It is read once for all pages. */
export type Stylesheet = readonly Piece[];

type Piece = RulePiece | GroupPiece | OtherPiece;

interface RulePiece {
  kind: 'rule';
  selectors: readonly { text: string; names: readonly string[] }[];
  declarations: readonly { property: string; text: string }[];
}

/** What holds for a part of the readers, such as those with a wide screen. */
interface GroupPiece {
  kind: 'group';
  prelude: string;
  pieces: readonly Piece[];
}

interface OtherPiece {
  kind: 'other';
  text: string;
}

const groups = new Set(['media', 'supports', 'layer', 'container']);

export function readStylesheet(css: string): Stylesheet {
  return readPieces(postcss.parse(css).nodes);
}

/**
 * The rules that a page with these names (`.class`, `#id`, `tag`) may need before the stylesheet is there, in their
 * order. What depends on the theme, the width of the screen or where the pointer is stays, whatever they are now.
 */
export function stylesFor(sheet: Stylesheet, names: ReadonlySet<string>): string {
  const kept = keepPieces(sheet, names);
  return writePieces(kept, variablesUsedIn(kept));
}

function readPieces(nodes: readonly ChildNode[]): Piece[] {
  return nodes.flatMap((node) => {
    if (node.type === 'rule') return [readRule(node)];
    return node.type === 'atrule' ? readAtRule(node) : [];
  });
}

function readRule(rule: Rule): RulePiece {
  const declarations = rule.nodes.filter((node): node is Declaration => node.type === 'decl');
  return {
    kind: 'rule',
    selectors: rule.selectors.map((text) => ({ text, names: namesOf(text) })),
    declarations: declarations.map((node) => ({ property: node.prop, text: node.toString() })),
  };
}

function readAtRule(node: AtRule): Piece[] {
  // The stylesheet is there long before anybody prints, and the file says its character set itself.
  if (node.name === 'charset' || (node.name === 'media' && node.params === 'print')) return [];
  if (!groups.has(node.name) || node.nodes === undefined) return [{ kind: 'other', text: node.toString() }];
  return [{ kind: 'group', prelude: `@${node.name} ${node.params}`, pieces: readPieces(node.nodes) }];
}

function keepPieces(pieces: readonly Piece[], known: ReadonlySet<string>): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (piece.kind === 'other') return [piece];
    if (piece.kind === 'group') return [{ ...piece, pieces: keepPieces(piece.pieces, known) }];
    const selectors = piece.selectors.filter(({ names }) => names.every((name) => known.has(name)));
    return selectors.length > 0 ? [{ ...piece, selectors }] : [];
  });
}

/** The custom properties that count: those that something shown is made of, and those that these are made of. */
function variablesUsedIn(pieces: readonly Piece[]): Set<string> {
  const made = new Map<string, string[]>();
  const waiting: string[] = [];
  for (const { property, text } of declarationsOf(pieces)) {
    const used = [...text.matchAll(/var\(\s*(--[\w-]+)/g)].map(([, name = '']) => name);
    if (property.startsWith('--')) made.set(property, [...(made.get(property) ?? []), ...used]);
    else waiting.push(...used);
  }
  const found = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...(made.get(name) ?? []));
  }
  return found;
}

function* declarationsOf(pieces: readonly Piece[]): Generator<RulePiece['declarations'][number]> {
  for (const piece of pieces) {
    if (piece.kind === 'rule') yield* piece.declarations;
    else if (piece.kind === 'group') yield* declarationsOf(piece.pieces);
  }
}

function writePieces(pieces: readonly Piece[], variables: ReadonlySet<string>): string {
  return pieces.map((piece) => writePiece(piece, variables)).join('');
}

function writePiece(piece: Piece, variables: ReadonlySet<string>): string {
  if (piece.kind === 'other') return piece.text;
  const inside =
    piece.kind === 'group'
      ? writePieces(piece.pieces, variables)
      : piece.declarations
          .filter(({ property }) => !property.startsWith('--') || variables.has(property))
          .map(({ text }) => text)
          .join(';');
  if (inside === '') return '';
  const before = piece.kind === 'group' ? piece.prelude : piece.selectors.map(({ text }) => text).join(',');
  return `${before}{${inside}}`;
}
