// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC20, IERC721} from "./Interfaces.sol";

/// Holds tokens of one ERC-721 and coins of one ERC-20 for their owners, who may withdraw them at any time.
contract SampleStaking {
    event Deposited(address indexed owner, uint256 indexed tokenId);
    event Withdrawn(address indexed owner, uint256 indexed tokenId);
    event Staked(address indexed owner, uint256 amount);
    event Unstaked(address indexed owner, uint256 amount);

    error NotDeposited(address account, uint256 tokenId);
    error StakeTooLow(address owner, uint256 staked, uint256 needed);
    error CoinRefused();

    IERC721 public immutable keys;
    IERC20 public immutable coin;
    mapping(address => uint256[]) private _deposits;
    mapping(uint256 => address) public depositorOf;
    mapping(uint256 => uint256) private _places;
    mapping(address => uint256) public stakedOf;

    constructor(IERC721 keys_, IERC20 coin_) {
        keys = keys_;
        coin = coin_;
    }

    function deposit(uint256[] calldata tokenIds) external {
        for (uint256 i = 0; i < tokenIds.length; i++) {
            uint256 tokenId = tokenIds[i];
            _places[tokenId] = _deposits[msg.sender].length;
            _deposits[msg.sender].push(tokenId);
            depositorOf[tokenId] = msg.sender;
            keys.transferFrom(msg.sender, address(this), tokenId);
            emit Deposited(msg.sender, tokenId);
        }
    }

    function withdraw(uint256[] calldata tokenIds) external {
        uint256[] storage deposits = _deposits[msg.sender];
        for (uint256 i = 0; i < tokenIds.length; i++) {
            uint256 tokenId = tokenIds[i];
            require(depositorOf[tokenId] == msg.sender, NotDeposited(msg.sender, tokenId));
            uint256 lastId = deposits[deposits.length - 1];
            deposits[_places[tokenId]] = lastId;
            _places[lastId] = _places[tokenId];
            deposits.pop();
            delete depositorOf[tokenId];
            keys.transferFrom(address(this), msg.sender, tokenId);
            emit Withdrawn(msg.sender, tokenId);
        }
    }

    /// The ids of the tokens held for this account.
    function depositsOf(address account) external view returns (uint256[] memory) {
        return _deposits[account];
    }

    /// The number of tokens held for this account.
    function balanceOf(address account) external view returns (uint256) {
        return _deposits[account].length;
    }

    function stake(uint256 amount) external {
        stakedOf[msg.sender] += amount;
        require(coin.transferFrom(msg.sender, address(this), amount), CoinRefused());
        emit Staked(msg.sender, amount);
    }

    function unstake(uint256 amount) external {
        uint256 staked = stakedOf[msg.sender];
        require(staked >= amount, StakeTooLow(msg.sender, staked, amount));
        stakedOf[msg.sender] = staked - amount;
        require(coin.transfer(msg.sender, amount), CoinRefused());
        emit Unstaked(msg.sender, amount);
    }
}
