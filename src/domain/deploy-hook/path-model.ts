/** Where deploy hooks are: followed by the id and the secret. The log and traces leave the secret out. */
export const deployHooksPath = '/deploy-hooks/';

export const pathOfHook = (id: string, secret: string) => `${deployHooksPath}${id}/${secret}`;

/** The id and the secret in a path. Undefined if it has another form. */
export function hookIn(path: string): { id: string; secret: string } | undefined {
  const match = /^([0-9a-f]{32})\/([\w-]{1,128})$/.exec(path.slice(deployHooksPath.length));
  return match ? { id: match[1]!, secret: match[2]! } : undefined;
}
