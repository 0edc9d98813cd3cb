export interface XrplCurrency {
  /** Three characters, or 40 hexadecimal digits in upper case. */
  currency: string;
  issuer: string;
}

/** Reads `<currency>.<issuer>`. Longer names are those that wallets show for 40 hexadecimal digits. */
export function parseXrplCurrency(reference: string): XrplCurrency | undefined {
  const [, written = '', issuer] = /^(.{3,40})\.(r[1-9A-HJ-NP-Za-km-z]{0,34})$/.exec(reference) ?? [];
  if (issuer === undefined) return undefined;
  const currency = spellCurrency(written);
  return currency === undefined ? undefined : { currency, issuer };
}

function spellCurrency(written: string): string | undefined {
  if (written.length === 3) return written;
  if (/^[0-9a-fA-F]{40}$/.test(written)) return spellHex(written.toUpperCase());
  const bytes = Buffer.from(written, 'utf8');
  return bytes.length > 20 ? undefined : bytes.toString('hex').toUpperCase().padEnd(40, '0');
}

// The digits of a standard code hold its three characters between zeros.
function spellHex(hex: string): string {
  const [, code] = /^0{24}((?:[2-7][0-9A-F]){3})0{10}$/.exec(hex) ?? [];
  return code === undefined ? hex : Buffer.from(code, 'hex').toString('latin1');
}

export interface XrplCollection {
  issuer: string;
  /** Absent for everything of the issuer. */
  taxon: string | undefined;
}

/** Reads `<issuer>.<taxon>` or an issuer alone. */
export function parseXrplCollection(reference: string): XrplCollection | undefined {
  const [, issuer, taxon] = /^(r[1-9A-HJ-NP-Za-km-z]{24,34})(?:\.(\d{1,10}))?$/.exec(reference) ?? [];
  return issuer === undefined ? undefined : { issuer, taxon: taxon?.replace(/^0+(?=\d)/, '') };
}
