import { panic } from "./host";

export const enum Kind {
  Null,
  True,
  False,
  Number,
  Text,
  List,
  Object,
}

const maxDepth = 32;

/** A JSON value. Its source text can be stored and returned unchanged. */
export class Json {
  /** Of a text: its value. */
  text: string = "";
  /** Of an object: the names of its fields, in their order. */
  names: string[] = [];
  /** Of an object or a list. */
  items: Json[] = [];
  constructor(
    public kind: Kind,
    /** As it was written. */
    public raw: string,
  ) {}

  /** Returns a field of an object; null if absent or null. The last of duplicate names counts. */
  find(name: string): Json | null {
    for (let at = this.names.length - 1; at >= 0; at--)
      if (this.names[at] == name) return this.items[at].kind == Kind.Null ? null : this.items[at];
    return null;
  }
}

/** Parses JSON by RFC 8259; null for anything else. */
export function parseJson(source: string): Json | null {
  const reader = new Reader(source);
  const value = reader.value(0);
  if (value === null) return null;
  reader.skip();
  return reader.at == source.length ? value : null;
}

class Reader {
  at: i32 = 0;
  constructor(private source: string) {}

  private peek(): i32 {
    return this.at < this.source.length ? this.source.charCodeAt(this.at) : -1;
  }

  skip(): void {
    for (;;) {
      const letter = this.peek();
      if (letter != 32 && letter != 10 && letter != 13 && letter != 9) return;
      this.at++;
    }
  }

  value(depth: i32): Json | null {
    if (depth > maxDepth) return null;
    this.skip();
    const start = this.at;
    const letter = this.peek();
    if (letter == 123) return this.object(start, depth);
    if (letter == 91) return this.list(start, depth);
    if (letter == 34) {
      const text = this.string();
      if (text === null) return null;
      const value = new Json(Kind.Text, this.source.substring(start, this.at));
      value.text = text;
      return value;
    }
    if (this.takes("true")) return new Json(Kind.True, "true");
    if (this.takes("false")) return new Json(Kind.False, "false");
    if (this.takes("null")) return new Json(Kind.Null, "null");
    return this.number() ? new Json(Kind.Number, this.source.substring(start, this.at)) : null;
  }

  private takes(word: string): bool {
    if (this.source.substr(this.at, word.length) != word) return false;
    this.at += word.length;
    return true;
  }

  private digits(): bool {
    const start = this.at;
    while (this.peek() >= 48 && this.peek() <= 57) this.at++;
    return this.at > start;
  }

  private number(): bool {
    if (this.peek() == 45) this.at++;
    const first = this.peek();
    const start = this.at;
    if (!this.digits()) return false;
    if (first == 48 && this.at > start + 1) return false;
    if (this.peek() == 46) {
      this.at++;
      if (!this.digits()) return false;
    }
    if (this.peek() == 101 || this.peek() == 69) {
      this.at++;
      if (this.peek() == 43 || this.peek() == 45) this.at++;
      if (!this.digits()) return false;
    }
    return true;
  }

  private string(): string | null {
    this.at++;
    let text = "";
    let from = this.at;
    let letter = this.peek();
    while (letter >= 32) {
      if (letter == 34) {
        text += this.source.substring(from, this.at);
        this.at++;
        return text;
      }
      if (letter == 92) {
        text += this.source.substring(from, this.at);
        this.at++;
        const escaped = this.escape();
        if (escaped === null) return null;
        text += escaped;
        from = this.at;
      } else this.at++;
      letter = this.peek();
    }
    return null;
  }

  private escape(): string | null {
    const letter = this.peek();
    this.at++;
    if (letter == 34 || letter == 92 || letter == 47) return String.fromCharCode(letter);
    if (letter == 98) return "\b";
    if (letter == 102) return "\f";
    if (letter == 110) return "\n";
    if (letter == 114) return "\r";
    if (letter == 116) return "\t";
    if (letter != 117) return null;
    const first = this.fourDigits();
    if (first < 0xd800 || first > 0xdfff) return first < 0 ? null : String.fromCharCode(first);
    // An unpaired surrogate has no UTF-8 encoding.
    if (first > 0xdbff || !this.takes("\\u")) return null;
    const second = this.fourDigits();
    return second < 0xdc00 || second > 0xdfff ? null : String.fromCharCode(first, second);
  }

  private fourDigits(): i32 {
    let code = 0;
    for (let place = 0; place < 4; place++) {
      const digit = hexOf(this.peek());
      if (digit < 0) return -1;
      code = code * 16 + digit;
      this.at++;
    }
    return code;
  }

  private object(start: i32, depth: i32): Json | null {
    const value = new Json(Kind.Object, "");
    this.at++;
    this.skip();
    if (this.peek() == 125) this.at++;
    else
      for (;;) {
        this.skip();
        if (this.peek() != 34) return null;
        const name = this.string();
        if (name === null) return null;
        this.skip();
        if (this.peek() != 58) return null;
        this.at++;
        const item = this.value(depth + 1);
        if (item === null) return null;
        value.names.push(name);
        value.items.push(item);
        this.skip();
        const letter = this.peek();
        this.at++;
        if (letter == 125) break;
        if (letter != 44) return null;
      }
    value.raw = this.source.substring(start, this.at);
    return value;
  }

  private list(start: i32, depth: i32): Json | null {
    const value = new Json(Kind.List, "");
    this.at++;
    this.skip();
    if (this.peek() == 93) this.at++;
    else
      for (;;) {
        const item = this.value(depth + 1);
        if (item === null) return null;
        value.items.push(item);
        this.skip();
        const letter = this.peek();
        this.at++;
        if (letter == 93) break;
        if (letter != 44) return null;
      }
    value.raw = this.source.substring(start, this.at);
    return value;
  }
}

function hexOf(letter: i32): i32 {
  if (letter >= 48 && letter <= 57) return letter - 48;
  if (letter >= 97 && letter <= 102) return letter - 87;
  if (letter >= 65 && letter <= 70) return letter - 55;
  return -1;
}

/** Returns a text as a JSON string. */
export function quote(text: string): string {
  let written = '"';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter != 34 && letter != 92 && letter >= 32) continue;
    written += text.substring(from, at);
    if (letter == 34 || letter == 92) written += "\\" + String.fromCharCode(letter);
    else written += "\\u" + letter.toString(16).padStart(4, "0");
    from = at + 1;
  }
  return written + text.substring(from) + '"';
}

/** Parses JSON that this contract stored itself. */
export function parseStored(text: string): Json {
  const value = parseJson(text);
  if (value === null) panic("What was stored cannot be read");
  return value!;
}
