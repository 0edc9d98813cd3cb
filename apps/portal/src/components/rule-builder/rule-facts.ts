/** A kind of asset that a rule can require. */
export interface RuleKind {
  name: string;
  /** One place, or any EVM chain with the default. */
  place: string | { chainId: number | null };
  /** The fields that can identify the asset, the best first. */
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

/** Generated when the site is built: see facts/rule-kinds.ts. */
export interface RuleFacts {
  kinds: RuleKind[];
  chains: { id: number; name: string }[];
  fields: Record<string, RuleField>;
}
