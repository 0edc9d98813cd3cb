// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Makes many reads in one eth_call with this code as a state override. The input is packed:
///   length of the functions (3 bytes), count of arguments (2), functions, arguments (20 each)
/// calls every function with every argument, and so on for the next functions. A function is
///   target (20 bytes), selector (4), length of the tail (1), tail
/// and a target of zero reads balances. The output begins with the chain and block, followed by two bytes for each read, the highest bit
/// for success and the rest for the length, and the returned data.
contract ReadPacked {
    fallback() external {
        assembly {
            // Memory below 512 holds the current call; the output grows above it.
            let start := 512
            mstore(start, chainid())
            mstore(add(start, 32), number())
            mstore(add(start, 64), timestamp())
            let out := add(start, 96)
            let at := 0
            for {} lt(at, calldatasize()) {} {
                let sizes := calldataload(at)
                at := add(at, 5)
                let list := add(at, shr(232, sizes))
                let end := add(list, mul(20, and(shr(216, sizes), 0xffff)))
                for {} lt(at, list) {} {
                    let target := shr(96, calldataload(at))
                    switch target
                    case 0 {
                        for { let argument := list } lt(argument, end) { argument := add(argument, 20) } {
                            mstore(out, shl(240, 0x8020))
                            mstore(add(out, 2), balance(shr(96, calldataload(argument))))
                            out := add(out, 34)
                        }
                        at := add(at, 25)
                    }
                    default {
                        mstore(0, shl(224, shr(224, calldataload(add(at, 20)))))
                        let tail := byte(0, calldataload(add(at, 24)))
                        at := add(at, 25)
                        calldatacopy(36, at, tail)
                        at := add(at, tail)
                        let length := add(36, tail)
                        for { let argument := list } lt(argument, end) { argument := add(argument, 20) } {
                            calldatacopy(16, argument, 20)
                            let told := shl(15, staticcall(gas(), target, 0, length, 0, 0))
                            let size := returndatasize()
                            // A result that is too long for the length field is reported as a failure without data.
                            if shr(15, size) {
                                size := 0
                                told := 0
                            }
                            mstore(out, shl(240, or(told, size)))
                            returndatacopy(add(out, 2), 0, size)
                            out := add(out, add(2, size))
                        }
                    }
                }
                at := end
            }
            return(start, sub(out, start))
        }
    }
}
