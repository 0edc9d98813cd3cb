declare module '@site/.generated/rule-kinds.json' {
  const facts: import('./rule-facts.ts').RuleFacts;
  export default facts;
}
