/** A kind of asset that a rule can ask for. */
export interface RuleKind {
  name: string;
  /** One place, or any EVM chain with the one that is meant where none is named. */
  place: string | { chainId: number | null };
  /** The fields that may name the asset, the best first. */
  namedBy: string[];
  needsName: boolean;
  isEvmAddress: boolean;
  tokenIds: 'none' | 'optional' | 'required';
}

export interface RuleField {
  /** One of them is enough. */
  types: string[];
  description: string;
  maxLength?: number;
}

/** Made when the site is built: see facts/rule-kinds.ts. */
export interface RuleFacts {
  kinds: RuleKind[];
  chains: { id: number; name: string }[];
  fields: Record<string, RuleField>;
}
