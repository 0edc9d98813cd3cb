/** A part of a word: literal text, or a variable. */
export type Piece = { text: string } | { variable: string; isQuoted: boolean };
export type Word = readonly Piece[];

/** One line of a shell sample, after joining continuations. */
export type ShellLine = { line: number; words: Word[] } | { line: number; comment: string };

/** A sample uses something unsupported. The line is counted from 0 at the start of the sample. */
export class ShellError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const variableName = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;
/** Characters with a special meaning outside quotes. */
const special = '|&;()<>`*?[]{}~!';
/** The only supported form of a here document. */
const documentStart = '<<EOF';
/** A placeholder that a reader replaces. */
const placeholder = /<[a-z][a-z -]*>/y;

/**
 * Splits a sample into words as a shell does: quotes, escapes, continuations, variables and here documents, and nothing more. The content
 * of a here document replaces `@-`, by which curl reads it.
 */
export function splitShell(text: string, { hasPlaceholders = false } = {}): ShellLine[] {
  return new Splitter(text, hasPlaceholders).split();
}

class Splitter {
  private at = 0;
  private line = 0;
  private startedOn = 0;
  private words: Word[] = [];
  private word: Piece[] | undefined;
  private hasDocument = false;
  private readonly lines: ShellLine[] = [];
  private readonly text: string;
  private readonly hasPlaceholders: boolean;

  constructor(text: string, hasPlaceholders: boolean) {
    this.text = text;
    this.hasPlaceholders = hasPlaceholders;
  }

  split(): ShellLine[] {
    while (this.at < this.text.length) this.step();
    this.endLine();
    return this.lines;
  }

  private step(): void {
    const character = this.text[this.at] ?? '';
    if (character === '\n') {
      this.endWord();
      this.take();
      if (this.hasDocument) this.readDocument();
      this.endLine();
    } else if (character === ' ' || character === '\t') {
      this.endWord();
      this.take();
    } else if (character === '#' && this.word === undefined) this.readComment();
    else if (character === "'") this.readSingleQuoted();
    else if (character === '"') this.readDoubleQuoted();
    else if (character === '\\') this.readEscape();
    else if (character === '$') this.add(this.readVariable(false));
    else if (this.word === undefined && this.text.startsWith(documentStart, this.at)) this.startDocument();
    else this.readPlain(character);
  }

  private take(): string {
    const character = this.text[this.at] ?? '';
    if (character === '\n') this.line += 1;
    this.at += 1;
    return character;
  }

  private add(piece: Piece): void {
    if (this.words.length === 0 && this.word === undefined) this.startedOn = this.line;
    this.word ??= [];
    this.word.push(piece);
  }

  private endWord(): void {
    if (this.word !== undefined) this.words.push(this.word);
    this.word = undefined;
  }

  private endLine(): void {
    this.endWord();
    if (this.words.length > 0) this.lines.push({ line: this.startedOn, words: this.words });
    this.words = [];
  }

  private readComment(): void {
    const end = this.text.indexOf('\n', this.at);
    const comment = this.text.slice(this.at + 1, end === -1 ? undefined : end).trim();
    this.at = end === -1 ? this.text.length : end;
    this.lines.push({ line: this.line, comment });
  }

  private startDocument(): void {
    this.at += documentStart.length;
    this.hasDocument = true;
  }

  /** Variables are expanded, as the shell does if the end marker is not quoted. */
  private readDocument(): void {
    const opened = this.line;
    const place = this.words.findIndex((word) => wordText(word) === '@-');
    if (place === -1) throw new ShellError(opened, 'has a here document that nothing reads by @-');
    this.hasDocument = false;
    const pieces: Piece[] = [{ text: '' }];
    while (!/^EOF(?:\n|$)/.test(this.text.slice(this.at))) {
      const character = this.text[this.at];
      if (character === undefined) throw new ShellError(opened, 'has a here document without its EOF');
      if (character === '`' || character === '\\')
        throw new ShellError(this.line, `has ${character} in a here document, where it has a meaning of its own`);
      if (character === '$') pieces.push(this.readVariable(true));
      else pieces.push({ text: this.take() });
    }
    this.at += 'EOF'.length;
    this.words[place] = pieces;
  }

  private readSingleQuoted(): void {
    const end = this.text.indexOf("'", this.at + 1);
    if (end === -1) throw new ShellError(this.line, 'has a single quote that is never closed');
    const text = this.text.slice(this.at + 1, end);
    this.add({ text });
    this.line += text.split('\n').length - 1;
    this.at = end + 1;
  }

  private readDoubleQuoted(): void {
    const opened = this.line;
    this.take();
    // Quotes make a word even if they are empty.
    this.add({ text: '' });
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined) throw new ShellError(opened, 'has a double quote that is never closed');
      if (character === '"') break;
      if (character === '$') this.add(this.readVariable(true));
      else if (character === '`') throw new ShellError(this.line, 'runs a command inside quotes');
      else if (character === '\\') this.readQuotedEscape();
      else this.add({ text: this.take() });
    }
    this.take();
  }

  private readQuotedEscape(): void {
    const next = this.text[this.at + 1] ?? '';
    this.take();
    if (next === '\n') this.take();
    else if ('"\\$`'.includes(next)) this.add({ text: this.take() });
    else this.add({ text: '\\' });
  }

  private readEscape(): void {
    this.take();
    const next = this.take();
    if (next !== '\n') this.add({ text: next });
  }

  private readVariable(isQuoted: boolean): Piece {
    variableName.lastIndex = this.at;
    const [whole, plain, braced] = variableName.exec(this.text) ?? [];
    const variable = plain ?? braced;
    if (whole === undefined || variable === undefined)
      throw new ShellError(this.line, 'has a $ that is no variable such as $NAME');
    this.at += whole.length;
    return { variable, isQuoted };
  }

  private readPlain(character: string): void {
    placeholder.lastIndex = this.at;
    const [named] = placeholder.exec(this.text) ?? [];
    if (named !== undefined && this.hasPlaceholders) {
      this.add({ text: named });
      this.at += named.length;
    } else if (special.includes(character))
      throw new ShellError(this.line, `has ${character} outside quotes, which samples do not use`);
    else this.add({ text: this.take() });
  }
}

/** Returns the word with its variables expanded. */
export function expand(word: Word, variables: ReadonlyMap<string, string>, line: number): string {
  return word
    .map((piece) => {
      if ('text' in piece) return piece.text;
      const value = variables.get(piece.variable);
      if (value === undefined) throw new ShellError(line, `uses $${piece.variable}, which nothing has set`);
      if (!piece.isQuoted && /[\s*?[\]]/.test(value))
        throw new ShellError(line, `uses $${piece.variable} outside double quotes, and a shell would split its value`);
      return value;
    })
    .join('');
}

/** Returns the word as it is on the page, with its variables by name. */
export function wordText(word: Word): string {
  return word.map((piece) => ('text' in piece ? piece.text : `$${piece.variable}`)).join('');
}
