import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';

/** An operation with the fragments that it uses, each once. */
export function reachable(document: DocumentNode, operation: OperationDefinitionNode): Set<ASTNode> {
  const fragments = new Map(
    document.definitions
      .filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const nodes = new Set<ASTNode>([operation]);
  // A set gives what is added while it is read, too.
  for (const node of nodes) {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (fragment) nodes.add(fragment);
      },
    });
  }
  return nodes;
}
