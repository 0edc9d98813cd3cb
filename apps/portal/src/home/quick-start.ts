/** The commands of the home page. A test runs them like those of every other page. */
export const quickStart = {
  run: 'npm start',
  check: 'npm test',
  bot: 'LATCHKEY_DISCORD_CLIENT_ID=… LATCHKEY_DISCORD_BOT_TOKEN=… npm start',
  rule: `curl -s -X POST "$LATCHKEY_URL/communities/$COMMUNITY_ID_ESCAPED/tpcs" \\
  -H "authorization: AE $TOKEN" \\
  -H "content-type: application/json" \\
  -d @- <<EOF
{
  "type": "ERC721",
  "chainId": 31337,
  "contractAddress": "$CONTRACT",
  "roleId": "$ROLE_ID"
}
EOF`,
};
