declare module '@site/.generated/playground.json' {
  const recording: import('@latchkey/server/examples').Recording;
  export default recording;
}
