interface Options {
  end?: boolean;
  strict?: boolean;
  sensitive?: boolean;
}

/** What the router asks of a compiled path. */
interface CompiledPath {
  exec(pathname: string): [string] | null;
}

/**
 * Stands in for `path-to-regexp` in the router. The paths of this site are plain texts, and there are hundreds of them:
 * comparing texts spares a regular expression for each, which was a good part of the time until a page could be used.
 */
export default function compilePath(given: string, _keys?: unknown, options: Options = {}): CompiledPath {
  if (given === '*') return { exec: (pathname) => [pathname] };
  if (/[:*+?()]/.test(given.replace(/\\./g, '')))
    throw new Error(`The path ${given} has parameters, which the routes of this site cannot have.`);
  // Links escape their path for the regular expression that it is not made into here.
  const path = given.replace(/\\(.)/g, '$1');
  const { end = true, strict = false, sensitive = false } = options;
  const plain = (text: string) => (sensitive ? text : text.toLowerCase());
  const start = strict ? path : path.replace(/\/$/, '');
  const wanted = plain(start);
  return {
    exec: (pathname) => {
      if (!plain(pathname).startsWith(wanted)) return null;
      const rest = pathname.slice(start.length);
      if (rest === '' || (rest === '/' && !strict)) return [pathname];
      const isBelow = rest.startsWith('/') || (strict && path.endsWith('/'));
      return !end && isBelow ? [pathname.slice(0, start.length)] : null;
    },
  };
}

/** A path without parameters is its own address. */
compilePath.compile = (path: string) => () => path;
