import { badRequest } from './errors.ts';

/** The parameters of a method. They come as JSON, or as text from a form or the URL; both are parsed the same way. */
export class Params {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null && value !== '';
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return value === undefined || value === null ? undefined : String(value);
  }

  number(name: string): number | undefined {
    if (!this.has(name)) return undefined;
    const value = Number(this.#values[name]);
    if (!Number.isSafeInteger(value)) throw badRequest(`${name} must be a number`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#values[name];
    return value === true || value === 'true' || value === 'True' || value === '1' || value === 1;
  }

  /** Parses an object or a list, which forms send as JSON text. */
  object(name: string): unknown {
    const value = this.#values[name];
    if (typeof value !== 'string') return value ?? undefined;
    try {
      return JSON.parse(value);
    } catch {
      throw badRequest(`can't parse ${name}`);
    }
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.object(name);
    return Array.isArray(value) ? value.map(String) : undefined;
  }
}
