import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { addValue, type Expansion } from '../../kernel/expansion.ts';

/**
 * The characters and values in the arguments of an operation, where variables and fragments count at each use: each use is
 * validated. The operation must be within the limit of fields.
 */
export function argumentSize(
  { definitions }: DocumentNode,
  { selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Expansion {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const defaults = new Map(
    variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const sizes = new Map<string, Expansion>();
  const sizeOfVariable = (name: string): Expansion => {
    let size = sizes.get(name);
    if (!size) {
      size = { characters: 0, values: 0 };
      const value = variables[name];
      const byDefault = defaults.get(name);
      if (value !== undefined) addValue(size, value);
      else if (byDefault) addLiteral(size, byDefault);
      sizes.set(name, size);
    }
    return size;
  };
  const addLiteral = (size: Expansion, literal: ValueNode): void => {
    if (literal.kind === Kind.VARIABLE) {
      const { characters, values } = sizeOfVariable(literal.name.value);
      size.characters += characters;
      size.values += values;
      return;
    }
    size.values++;
    // The tokens of a document are limited, and how deeply they are nested.
    if (literal.kind === Kind.LIST) for (const item of literal.values) addLiteral(size, item);
    else if (literal.kind === Kind.OBJECT) for (const { value } of literal.fields) addLiteral(size, value);
    else if ('value' in literal) size.characters += String(literal.value).length;
  };
  const total: Expansion = { characters: 0, values: 0 };
  const walk = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        for (const { value } of selection.arguments ?? []) addLiteral(total, value);
      }
      const within =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (within?.selectionSet) walk(within.selectionSet);
    }
  };
  walk(selectionSet);
  return total;
}
