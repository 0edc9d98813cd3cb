import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A recipe of CONTRIBUTING.md as edits of a tree, so that a test can follow it. */
export interface Recipe {
  /** The heading in CONTRIBUTING.md, without `Recipe: `. */
  title: string;
  /** The maximum number of files that it may touch, including new ones. Files in `folder` are the new thing itself and do not count. */
  atMost: number;
  folder?: string;
  /** The tests that the recipe says to run, by path. */
  checks: readonly string[];
  apply(tree: Tree): void;
}

/** A copy of the repository that a recipe is applied to. Anchors are found by their text, and a missing one fails. */
export interface Tree {
  /** Inserts text after the only occurrence of the anchor. */
  insertAfter(path: string, anchor: string, text: string): void;
  insertBefore(path: string, anchor: string, text: string): void;
  replace(path: string, anchor: string, text: string): void;
  /** Adds an entry to a JSON object. */
  addEntry(path: string, key: string, value: unknown): void;
  create(path: string, text: string): void;
}

export function openTree(root: string, affected: Set<string>): Tree {
  const replace = (path: string, anchor: string, text: string) => {
    const file = join(root, path);
    const before = readFileSync(file, 'utf8');
    const at = before.indexOf(anchor);
    if (at < 0) throw new Error(`${path} no longer contains the anchor: ${anchor}`);
    if (before.indexOf(anchor, at + 1) >= 0) throw new Error(`${path} contains the anchor more than once: ${anchor}`);
    writeFileSync(file, before.slice(0, at) + text + before.slice(at + anchor.length));
    affected.add(path);
  };
  return {
    insertAfter: (path, anchor, text) => replace(path, anchor, anchor + text),
    insertBefore: (path, anchor, text) => replace(path, anchor, text + anchor),
    replace,
    addEntry: (path, key, value) => {
      const file = join(root, path);
      writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), [key]: value }, null, 2)}\n`);
      affected.add(path);
    },
    create: (path, text) => {
      const file = join(root, path);
      if (existsSync(file)) throw new Error(`${path} already exists.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      affected.add(path);
    },
  };
}
