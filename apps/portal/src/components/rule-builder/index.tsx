export function RuleBuilder() {
  return null;
}
